-- settle_fence(key, retention, now, stored): the next fence, after `now` was stored in the place of `stored`.
-- That is right nearly always, because the clock is ahead of the last fence. Where it is not, this mends it.
-- Answers the fence as decimal text, or nil and an error reply; then nothing that counts has changed. Where the stored
-- one was ahead of the clock, which then was set back: the fence, nil, and by how many microseconds it is.
local function settle_fence(key, retention, now, stored)
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
			return fence, nil, last + 1 - tonumber(now)
		end
	end
	redis.call('SET', key, stored, 'PX', retention)
	return nil, redis.error_reply('FENCE the stored fence is not a whole number from 1 to 9007199254740990')
end
