-- attach: a new owner takes over the lock that the token holds, with a fence of its own.
-- KEYS  lock, fence, attach
-- ARGV  1 token   2 lease in ms, for a lock that has none   3 retention of the fence in ms
--       4 a number for this call, the same in all its sends. A send that arrives again, or after its repeat, makes no
--         other fence, which would keep the owner from giving the lock back
-- Answers {1, fence, what is left of the lease in ms}; {0} that token does not hold the lock; {2} this call had
-- attached, and somebody has got a fence since: it takes a new number to take the lock over again.
--include lib/new_fence.lua

if redis.call('GET', KEYS[1]) == ARGV[1] then
	-- The calls that attached to this lock and their fences, the last one first.
	local calls = redis.call('GET', KEYS[3]) or ''
	local fence = string.match(calls, ARGV[4] .. ' (%d+)')
	local left = redis.call('PTTL', KEYS[1])
	if fence then
		redis.call('PEXPIRE', KEYS[1], 0, 'GT')
		if string.sub(calls, 1, #ARGV[4]) ~= ARGV[4] or fence ~= redis.pcall('GET', KEYS[2]) then
			return {2}
		end
		return {1, fence, left}
	end
	local problem
	fence, problem = new_fence(KEYS[2], ARGV[3])
	if not fence then
		return problem
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
