-- raise: makes the stored fence at least that large, while the token holds the lock here.
-- KEYS  lock, fence, node
-- ARGV  1 token   2 fence   3 retention of the fence in ms   4 run_id of this server   5 how long a node sits out, in ms
--       6 the fence that must be stored, because others may acquire with the same token; "": do not compare
-- Answers {1, the fence that is stored now, 1: this raise stored it, 0: it was there}; {0} the token does not hold the
-- lock here; {2, how long this node still sits out, in ms}.
--include lib/node_time.lua
--include lib/node_ready.lua

local time, problem = node_time()
if not time then
	return problem
end
local ready, left = node_ready(KEYS[3], ARGV[4], tonumber(ARGV[5]), time)
if not ready then
	return {2, left}
end
local stored = redis.call('GET', KEYS[2])
if redis.call('GET', KEYS[1]) ~= ARGV[1] or (ARGV[6] ~= '' and stored ~= ARGV[6]) then
	-- A write without effect, so that a replica answers READONLY and not what it last heard.
	redis.call('PEXPIRE', KEYS[1], 0, 'GT')
	return {0}
end
if stored and #stored <= 16 and string.find(stored, '^[1-9]%d*$') and tonumber(stored) >= tonumber(ARGV[2]) then
	redis.call('PEXPIRE', KEYS[2], ARGV[3])
	return {1, stored, 0}
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return {1, ARGV[2], 1}
