-- grant_fence(key, retention, proposal, time): one node's part of a fence of the quorum.
-- The largest of: one more than the last one; the client's proposal, which is the same on all nodes, but not if it is
-- more than a minute ahead of this node (a mad clock must not use up the numbers); and a minute before this node's
-- time, because what is stored may come from an old snapshot. Answers it as text, or nil and an error reply.
local function grant_fence(key, retention, proposal, time)
	local stored = redis.pcall('GET', key)
	if type(stored) == 'table' then
		return nil, stored
	end
	local fence = tonumber(proposal)
	if fence > time + 60000000 then
		fence = time
	end
	fence = math.max(fence, time - 60000000)
	if stored then
		if #stored > 16 or not string.find(stored, '^[1-9]%d*$') or tonumber(stored) >= 9007199254740991 then
			return nil, redis.error_reply('FENCE the stored fence is not a whole number from 1 to 9007199254740990')
		end
		fence = math.max(fence, tonumber(stored) + 1)
	end
	fence = string.format('%.0f', fence)
	local set = redis.pcall('SET', key, fence, 'PX', retention)
	if set.err then
		return nil, set
	end
	return fence
end
