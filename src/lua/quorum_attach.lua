-- quorum_attach: one node's part of a take-over by token, with a new fence.
-- KEYS, ARGV and answers as in quorum_acquire; the lease is for a lock that has none, and {1, fence, what is left of the
-- lease in ms}; {0}: that token does not hold the lock here.
--include lib/node_time.lua
--include lib/node_ready.lua
--include lib/grant_fence.lua

local time, problem = node_time()
if not time then
	return problem
end
local ready, left = node_ready(KEYS[3], ARGV[5], tonumber(ARGV[6]), time)
if not ready then
	return {2, left}
end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	-- A write without effect, so that a replica answers READONLY and not what it last heard.
	redis.call('PEXPIRE', KEYS[1], 0, 'GT')
	return {0}
end
local fence
fence, problem = grant_fence(KEYS[2], ARGV[3], ARGV[4], time)
if not fence then
	return problem
end
left = redis.call('PTTL', KEYS[1])
if left < 0 then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	left = ARGV[2]
end
return {1, fence, left}
