-- poke: a waiter says that it still waits, and looks whether the lock became free without a release.
-- KEYS  lock, fence, wait flag, wake list
-- ARGV  1 how long to raise the wait flag, in ms
-- Answers {0, what is left of the holder's lease in ms, -1: it has none} held; {1, what is left of the reservation in
-- ms} reserved for a waiter, now or before.
--include lib/reserve.lua
--include lib/reservation_left.lua

local raised = redis.pcall('SET', KEYS[3], '1', 'PX', ARGV[1])
-- Full memory does not keep a waiter from waiting. Anything else, such as READONLY, does.
if raised.err and string.sub(raised.err, 1, 3) ~= 'OOM' then
	return raised
end
local holder = redis.call('GET', KEYS[1])
if not holder then
	reserve(KEYS[1], KEYS[2], KEYS[4])
	return {1, 500}
end
if string.sub(holder, 1, 8) == 'handoff:' then
	return {1, reservation_left(KEYS[1])}
end
return {0, redis.call('PTTL', KEYS[1])}
