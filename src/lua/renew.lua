-- renew: makes the lease last longer, if the token holds the lock. It never shortens, and touches only the lock key.
-- KEYS  lock
-- ARGV  1 token   2 lease in ms
-- Answers {1, what is left of the lease in ms}; {0} not ours.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	if redis.call('PEXPIRE', KEYS[1], ARGV[2], 'GT') == 1 then
		return {1, ARGV[2]}
	end
	local left = redis.call('PTTL', KEYS[1])
	if left >= 0 then
		return {1, left}
	end
	-- Somebody took its time to live away. A lock always has one.
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return {1, ARGV[2]}
end
-- A write without effect, so that a replica answers READONLY and not what it last heard.
redis.call('PEXPIRE', KEYS[1], 0, 'GT')
return {0}
