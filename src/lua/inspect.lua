-- inspect: what is known of a lock. Changes nothing.
-- KEYS  lock, fence, wait flag; on a quorum also: node
-- ARGV  on a quorum: 1 run_id of this server   2 how long a node sits out, in ms
-- Answers {1, holder, what is left of its lease in ms or -1, last fence or "", 1 if somebody waits}; {0, "", 0, …} when
-- nobody holds the lock. A reservation for a waiter is nobody. A last value says how long this node still sits out, in ms.
--include lib/node_time.lua
--include lib/node_ready.lua

local holder = redis.call('GET', KEYS[1])
-- A write without effect, so that a replica answers READONLY and not what it last heard.
redis.call('PEXPIRE', KEYS[1], 0, 'GT')
local fence = redis.pcall('GET', KEYS[2])
if type(fence) ~= 'string' or #fence > 16 then
	fence = ''
end
local waiters = redis.call('EXISTS', KEYS[3])
local sits_out = 0
if KEYS[4] then
	local time, problem = node_time()
	if not time then
		return problem
	end
	local ready, left = node_ready(KEYS[4], ARGV[1], tonumber(ARGV[2]), time)
	sits_out = ready and 0 or left
end
if not holder or string.sub(holder, 1, 8) == 'handoff:' then
	return {0, '', 0, fence, waiters, sits_out}
end
return {1, holder, redis.call('PTTL', KEYS[1]), fence, waiters, sits_out}
