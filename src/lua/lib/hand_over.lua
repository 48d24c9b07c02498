-- hand_over(lock, fence_key, wait_key, wake_key): frees the lock key, for the next waiter if somebody waits.
-- If somebody waits, the lock becomes a reservation and one number goes on the wake list, so exactly one waiter is
-- woken. Nothing here may keep the lock from being freed: when a step of it fails (full memory, a key of another
-- type), the lock key is deleted.
local function hand_over(lock, fence_key, wait_key, wake_key)
	if redis.call('EXISTS', wait_key) == 0 then
		redis.call('DEL', lock)
		return
	end
	local number = redis.pcall('GET', fence_key)
	if type(number) ~= 'string' or #number > 16 then
		number = '0'
	end
	local reserved = redis.pcall('SET', lock, 'handoff:' .. number, 'PX', 500)
	if not reserved.err then
		local pushed = redis.pcall('RPUSH', wake_key, number)
		if type(pushed) == 'number' then
			if pushed > 1 then
				-- An entry nobody picked up is older than this reservation.
				redis.call('LTRIM', wake_key, -1, -1)
			end
			redis.call('PEXPIRE', wake_key, 500)
			return
		end
	end
	redis.call('DEL', lock)
end
