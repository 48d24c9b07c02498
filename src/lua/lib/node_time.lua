-- node_time(): this node's clock in microseconds, or nil and an error reply.
local function node_time()
	local time = redis.pcall('TIME')
	if time.err then
		return nil, time
	end
	return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
