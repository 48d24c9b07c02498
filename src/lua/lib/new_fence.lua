-- new_fence(key, retention): hands out the next fence, a hybrid logical clock.
-- The larger of "one more than the last one" and the server's time in microseconds, so that it keeps growing when the
-- stored one was lost (restart, FLUSHALL, fail-over, expiry), as long as the clock is not behind what was lost.
-- Answers the fence as decimal text, or nil and an error reply; then nothing that counts has changed. Where the stored
-- one was ahead of the clock, which then was set back: the fence, nil, and by how many microseconds it is.
--include lib/settle_fence.lua

local function new_fence(key, retention)
	local time = redis.pcall('TIME')
	if time.err then
		return nil, time
	end
	local now = time[1] .. string.sub('000000' .. time[2], -6)
	-- One command reads the old value and writes the new one.
	return settle_fence(key, retention, now, redis.pcall('SET', key, now, 'PX', retention, 'GET'))
end
