-- quorum_acquire: one node's grant.
-- KEYS  lock, fence, node
-- ARGV  1 token   2 lease in ms   3 retention of the fence in ms   4 proposed fence   5 run_id of this server
--       6 how long a node sits out, in ms
-- Answers {1, fence} granted; {0, what is left of the holder's lease in ms, -1: it has none}; {2, how long this node
-- still sits out, in ms}.
--include lib/node_time.lua
--include lib/node_ready.lua
--include lib/grant_fence.lua
--include lib/take_back.lua

local time, problem = node_time()
if not time then
	return problem
end
local ready, left = node_ready(KEYS[3], ARGV[5], tonumber(ARGV[6]), time)
if not ready then
	return {2, left}
end
local set = redis.pcall('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if not set then
	return {0, redis.call('PTTL', KEYS[1])}
end
if set.err then
	-- Full memory refuses even a SET that would change nothing. A held lock is contention all the same.
	if string.sub(set.err, 1, 3) == 'OOM' and redis.call('EXISTS', KEYS[1]) == 1 then
		return {0, redis.call('PTTL', KEYS[1])}
	end
	return set
end
local fence
fence, problem = grant_fence(KEYS[2], ARGV[3], ARGV[4], time)
if not fence then
	take_back(KEYS[1], ARGV[1])
	return problem
end
return {1, fence}
