-- attach: a new owner takes over the lock that the token holds, with a fence of its own.
-- KEYS  lock, fence, attach
-- ARGV  1 token   2 lease in ms, for a lock that has none   3 retention of the fence in ms
--       4 a number for this call, the same in all its sends: a send that arrives again, or after its repeat, answers
--         what the first one did, unless somebody got a fence since. Another fence would keep the owner from giving the
--         lock back
-- Answers {1, fence, what is left of the lease in ms}; {0} that token does not hold the lock.
--include lib/new_fence.lua

if redis.call('GET', KEYS[1]) == ARGV[1] then
	local call, fence = string.match(redis.call('GET', KEYS[3]) or '', '^(%x+) (%d+)$')
	if call ~= ARGV[4] or fence ~= redis.pcall('GET', KEYS[2]) then
		local problem
		fence, problem = new_fence(KEYS[2], ARGV[3])
		if not fence then
			return problem
		end
	end
	local left = redis.call('PTTL', KEYS[1])
	if left < 0 then
		redis.call('PEXPIRE', KEYS[1], ARGV[2])
		left = ARGV[2]
	end
	-- As long as the lock: once that is gone the token holds nothing.
	redis.call('SET', KEYS[3], ARGV[4] .. ' ' .. fence, 'PX', math.max(tonumber(left), 1))
	return {1, fence, left}
end
-- A write without effect, so that a replica answers READONLY and not what it last heard.
redis.call('PEXPIRE', KEYS[1], 0, 'GT')
return {0}
