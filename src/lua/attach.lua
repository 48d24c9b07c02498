-- attach: a new owner takes over the lock that the token holds, with a fence of its own.
-- KEYS  lock, fence, attach
-- ARGV  1 token   2 lease in ms, for a lock that has none   3 retention of the fence in ms
--       4 a number for this call, the same in all its sends: a send that arrives again, or after its repeat, or after
--         the next owner has attached, answers what the first one did and changes nothing. Another fence would keep the
--         owner from giving the lock back
-- Answers {1, fence, what is left of the lease in ms}; {0} that token does not hold the lock.
--include lib/new_fence.lua

if redis.call('GET', KEYS[1]) == ARGV[1] then
	-- The calls that attached to this lock and their fences, the last one first.
	local calls = redis.call('GET', KEYS[3]) or ''
	local fence = string.match(calls, ARGV[4] .. ' (%d+)')
	local left = redis.call('PTTL', KEYS[1])
	if fence and string.sub(calls, 1, #ARGV[4]) ~= ARGV[4] then
		redis.call('PEXPIRE', KEYS[1], 0, 'GT')
		return {1, fence, left}
	end
	-- Somebody may have got a fence since by acquiring with the same token.
	if not fence or fence ~= redis.pcall('GET', KEYS[2]) then
		local problem
		fence, problem = new_fence(KEYS[2], ARGV[3])
		if not fence then
			return problem
		end
	end
	if left < 0 then
		redis.call('PEXPIRE', KEYS[1], ARGV[2])
		left = ARGV[2]
	end
	-- As long as the lock: once that is gone the token holds nothing. The last 16 calls are enough.
	redis.call('SET', KEYS[3], string.sub(ARGV[4] .. ' ' .. fence .. ' ' .. calls, 1, 16 * (#ARGV[4] + 18)), 'PX',
		math.max(tonumber(left), 1))
	return {1, fence, left}
end
-- A write without effect, so that a replica answers READONLY and not what it last heard.
redis.call('PEXPIRE', KEYS[1], 0, 'GT')
return {0}
