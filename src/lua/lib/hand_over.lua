-- hand_over(lock, fence_key, wait_key, wake_key): frees the lock key, for the next waiter if somebody waits.
-- Nothing here may keep the lock from being freed: when it cannot be reserved, it is deleted.
--include lib/reserve.lua

local function hand_over(lock, fence_key, wait_key, wake_key)
	if redis.call('EXISTS', wait_key) == 0 or not reserve(lock, fence_key, wake_key) then
		redis.call('DEL', lock)
	end
end
