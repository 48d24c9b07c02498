-- acquire: takes the lock if it is free, or reserved for us.
-- KEYS  lock, fence; the wake list, where a reservation may be met that we were not woken for; and the wait flag, where
--       it may have to be raised
-- ARGV  1 token   2 lease in ms   3 retention of the fence in ms; nothing: 7 days
--       4 how long to raise the wait flag if somebody else holds it, in ms; 0, or nothing: do not
--       5 the reservation we were woken for, "handoff:<number>", or ""
--       6 ... the tokens of earlier sends of this call that were never answered
-- Answers the fence as text: granted; {1, fence, by how many microseconds it is ahead of the clock} granted, where it is;
-- {0, what is left of the holder's lease in ms, -1: it has none}; {2} it is reserved, and only the wake list, which was
-- not named, could tell whether for somebody who is coming: nothing was done. Text, because a table costs Redis a tenth of
-- the script; and what is not named and not sent costs it nothing.

-- The usual case comes first, before the functions: making one costs nearly as much as a command.
-- A write call in any case, so that a replica answers READONLY and not what it last heard.
local holder = redis.pcall('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2], 'GET')
local retention = ARGV[3] or '604800000'
local time, now, stored
if not holder then
	time = redis.pcall('TIME')
	if not time.err then
		now = #time[2] == 6 and time[1] .. time[2] or time[1] .. string.sub('000000' .. time[2], -6)
		stored = redis.pcall('SET', KEYS[2], now, 'PX', retention, 'GET')
		-- Numbers with as many digits compare like text.
		if not stored or (#stored == #now and stored < now and string.find(stored, '^[1-9]%d*$')) then
			return now
		end
	end
end

--include lib/new_fence.lua
--include lib/take_back.lua
--include lib/reservation_left.lua

local function granted(fence, ahead)
	return ahead and {1, fence, ahead} or fence
end

local fence, problem, ahead
if not holder then
	if time.err then
		problem = time
	else
		fence, problem, ahead = settle_fence(KEYS[2], retention, now, stored)
	end
	if not fence then
		take_back(KEYS[1], ARGV[1])
		return problem
	end
	return granted(fence, ahead)
end

if type(holder) == 'table' then
	-- Full memory refuses even a SET that would change nothing. A held lock is contention all the same.
	if string.sub(holder.err, 1, 3) ~= 'OOM' then
		return holder
	end
	problem = holder
	holder = redis.call('GET', KEYS[1])
	if not holder then
		return problem
	end
end

for i = 6, #ARGV do
	if holder == ARGV[i] then
		-- Ours since an earlier send whose answer was lost. Not with the stored fence: that one may have been handed
		-- out already, if the token came back with an old snapshot or in a fail-over.
		local renamed = redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
		if renamed.err then
			return renamed
		end
		fence, problem, ahead = new_fence(KEYS[2], retention)
		if not fence then
			take_back(KEYS[1], ARGV[1])
			return problem
		end
		return granted(fence, ahead)
	end
end

local reserved = string.sub(holder, 1, 8) == 'handoff:'
if reserved then
	local ours = holder == ARGV[5]
	if not ours and not KEYS[3] then
		return {2}
	end
	-- A number that is still on the wake list was picked up by nobody: the reservation is stale, anybody may have it.
	if ours or redis.call('LLEN', KEYS[3]) > 0 then
		local taken = redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
		if taken.err then
			return taken
		end
		if not ours then
			redis.pcall('DEL', KEYS[3])
		end
		fence, problem, ahead = new_fence(KEYS[2], retention)
		if not fence then
			take_back(KEYS[1], ARGV[1])
			return problem
		end
		return granted(fence, ahead)
	end
end

if (ARGV[4] or '0') ~= '0' then
	redis.pcall('SET', KEYS[4], '1', 'PX', ARGV[4])
end
return {0, reserved and reservation_left(KEYS[1]) or redis.call('PTTL', KEYS[1])}
