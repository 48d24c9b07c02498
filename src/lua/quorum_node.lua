-- quorum_node: the state of this node, and putting it into service.
-- KEYS  node
-- ARGV  1 run_id of this server   2 how long a node sits out, in ms   3 "check", or "serve": it is in service from now on
-- Answers {1} in service; {0, how long it would still sit out, in ms}.
--include lib/node_time.lua
--include lib/node_ready.lua

local time, problem = node_time()
if not time then
	return problem
end
if ARGV[3] == 'serve' then
	redis.call('SET', KEYS[1], ARGV[1] .. ' 0')
	return {1}
end
local ready, left = node_ready(KEYS[1], ARGV[1], tonumber(ARGV[2]), time)
if ready then
	return {1}
end
return {0, left}
