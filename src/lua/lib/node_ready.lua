-- node_ready(node_key, run_id, sit_out, time): whether this node may take part in grants.
-- A node that is new, or that has forgotten what it knew, could grant a lock that it granted before to somebody else.
-- So it sits out until every lease from before is over: sit_out ms from the first time that it is asked. It is told by
-- its run_id, which is another one after every start. Answers true; or false and how long it still sits out, in ms.
local function node_ready(node_key, run_id, sit_out, time)
	local now = math.floor(time / 1000)
	local known, stored = string.match(redis.call('GET', node_key) or '', '^(%x+) (%d+)$')
	local over = tonumber(stored)
	if known ~= run_id or over > now + sit_out then
		-- New, or its clock was set back: no time to sit out is longer than this one.
		over = now + sit_out
		redis.call('SET', node_key, run_id .. ' ' .. string.format('%.0f', over))
	end
	if over > now then
		return false, over - now
	end
	return true
end
