-- new_fence(key, retention): hands out the next fence, a hybrid logical clock.
-- The larger of "one more than the last one" and the server's time in microseconds, so that it keeps growing when the
-- stored one was lost (restart, FLUSHALL, fail-over, expiry), as long as the clock is not behind what was lost.
-- Answers the fence as decimal text, or nil and an error reply; then nothing that counts has changed.
local function new_fence(key, retention)
	local time = redis.pcall('TIME')
	if time.err then
		return nil, time
	end
	local now = time[1] .. string.sub('000000' .. time[2], -6)
	-- One command reads the old value and writes the new one, which is right nearly always: the clock is ahead.
	local stored = redis.pcall('SET', key, now, 'PX', retention, 'GET')
	if not stored then
		return now
	end
	if type(stored) == 'table' then
		return nil, stored
	end
	if #stored <= 16 and string.find(stored, '^[1-9]%d*$') then
		local last = tonumber(stored)
		if last < tonumber(now) then
			return now
		end
		-- 2^53 - 1: beyond it neither Lua nor JSON can count by one.
		if last < 9007199254740991 then
			local fence = string.format('%.0f', last + 1)
			redis.call('SET', key, fence, 'PX', retention)
			return fence
		end
	end
	redis.call('SET', key, stored, 'PX', retention)
	return nil, redis.error_reply('FENCE the stored fence is not a whole number from 1 to 9007199254740990')
end
