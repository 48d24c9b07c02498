-- release: gives the lock back, if the token holds it.
-- KEYS  lock, fence, wait flag, wake list
-- ARGV  1 token
--       2 the fence of the holder, compared where one is stored, so that a late duplicate cannot free a later
--         acquisition with the same token; "", or nothing: do not compare (a random token is never used twice)
--       3 on a quorum, whose nodes may each store another one: a fence that is the holder's, too; "smaller": every
--         smaller one is, because a majority stores that of the holder
-- Answers 1 given back; {0, the stored fence or ""} not ours. A number, because a table costs Redis a tenth of the script.

-- The usual case comes first, before the functions: making one costs nearly as much as a command.
local ours = redis.call('GET', KEYS[1]) == ARGV[1]
local fence = ARGV[2] or ''
if ours and fence == '' and redis.call('EXISTS', KEYS[3]) == 0 then
	redis.call('DEL', KEYS[1])
	return 1
end

--include lib/hand_over.lua

if ours and fence ~= '' then
	local stored = redis.pcall('GET', KEYS[2])
	ours = type(stored) ~= 'string' or stored == fence or stored == ARGV[3]
		or (ARGV[3] == 'smaller' and #stored <= 16 and (tonumber(stored) or math.huge) < tonumber(fence))
end
if ours then
	hand_over(KEYS[1], KEYS[2], KEYS[3], KEYS[4])
	return 1
end
-- A write without effect, so that a replica answers READONLY and not what it last heard.
redis.call('PEXPIRE', KEYS[1], 0, 'GT')
local stored = redis.pcall('GET', KEYS[2])
if type(stored) ~= 'string' or #stored > 16 then
	stored = ''
end
return {0, stored}
