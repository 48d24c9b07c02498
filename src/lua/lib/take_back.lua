-- take_back(lock, token): frees a lock that was set a moment ago, after no fence could be made for it. Also without
-- the permission to delete: nobody may be left with a lock that was never granted.
local function take_back(lock, token)
	local deleted = redis.pcall('DEL', lock)
	if type(deleted) == 'table' then
		redis.call('SET', lock, token, 'PX', 1)
	end
end
