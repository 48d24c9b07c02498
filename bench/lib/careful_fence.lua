-- A lock with a fence that grows like ours: what a careful developer would write.
-- KEYS lock, fence  ARGV token, lease in ms, retention of the fence in ms
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
	return nil
end
local time = redis.call('TIME')
local fence = time[1] .. string.sub('000000' .. time[2], -6)
local stored = redis.call('GET', KEYS[2])
if stored and tonumber(stored) >= tonumber(fence) then
	fence = string.format('%.0f', tonumber(stored) + 1)
end
redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
return fence
