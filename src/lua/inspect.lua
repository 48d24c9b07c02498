-- inspect: what is known of a lock. Changes nothing.
-- KEYS  lock, fence, wait flag
-- Answers {1, holder, what is left of its lease in ms or -1, last fence or "", 1 if somebody waits}; {0, "", 0, …} when
-- nobody holds the lock. A reservation for a waiter is nobody.
local holder = redis.call('GET', KEYS[1])
-- A write without effect, so that a replica answers READONLY and not what it last heard.
redis.call('PEXPIRE', KEYS[1], 0, 'GT')
local fence = redis.pcall('GET', KEYS[2])
if type(fence) ~= 'string' or #fence > 16 then
	fence = ''
end
local waiters = redis.call('EXISTS', KEYS[3])
if not holder or string.sub(holder, 1, 8) == 'handoff:' then
	return {0, '', 0, fence, waiters}
end
return {1, holder, redis.call('PTTL', KEYS[1]), fence, waiters}
