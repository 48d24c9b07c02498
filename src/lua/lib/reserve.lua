-- reserve(lock, fence_key, wake_key): makes the lock a reservation and puts its number on the wake list, so that
-- exactly one waiter is woken, the first one. Answers false if that cannot be done (full memory, a key of another type);
-- then the lock key may be either of the two, and nobody is woken.
local function reserve(lock, fence_key, wake_key)
	local number = redis.pcall('GET', fence_key)
	if type(number) ~= 'string' or #number > 16 then
		number = '0'
	end
	local reserved = redis.pcall('SET', lock, 'handoff:' .. number, 'PX', 500)
	if reserved.err then
		return false
	end
	local pushed = redis.pcall('RPUSH', wake_key, number)
	if type(pushed) ~= 'number' then
		return false
	end
	if pushed > 1 then
		-- An entry that nobody picked up is older than this reservation.
		redis.pcall('LTRIM', wake_key, -1, -1)
	end
	local expires = redis.pcall('PEXPIRE', wake_key, 500)
	if type(expires) == 'table' then
		redis.pcall('DEL', wake_key)
		return false
	end
	return true
end
