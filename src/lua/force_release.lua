-- force_release: an operator's override. Whoever holds the lock loses it, and a waiter is served.
-- KEYS  lock, fence, wait flag, wake list
-- Answers {1} something was there; {0} nothing was.
--include lib/hand_over.lua

if redis.call('EXISTS', KEYS[1]) == 1 then
	hand_over(KEYS[1], KEYS[2], KEYS[3], KEYS[4])
	return {1}
end
-- A write without effect, so that a replica answers READONLY and not what it last heard.
redis.call('PEXPIRE', KEYS[1], 0, 'GT')
return {0}
