-- reservation_left(lock): what is left of the reservation in ms, never more than the 500 that it was made for. The lease of a
-- holder may be as long as it likes; but if the clock was set back, nobody else would end a reservation.
local function reservation_left(lock)
	local left = redis.call('PTTL', lock)
	if left < 0 or left > 500 then
		redis.call('PEXPIRE', lock, 500)
		left = 500
	end
	return left
end
