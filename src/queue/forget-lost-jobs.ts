/**
 * A script of Redis: makes BullMQ forget the jobs of some units that are in none of its lists. They come of a list that was
 * damaged or deleted, or of an addition that failed half-way, and a unit's next jobs would be taken for duplicates of them
 * for ever. It fails, like the addition of a job, while a list has the wrong type; an addition would leave such a job then.
 *
 * It also starts the counter of job numbers at the time: a deleted counter must not give numbers of earlier jobs again.
 *
 * KEYS: wait, paused, active, delayed, prioritized, id. ARGV: start of all keys, ms since 1970, the units.
 */
export const FORGET_LOST_JOBS = `
for list = 1, 3 do redis.call('LLEN', KEYS[list]) end
for set = 4, 5 do redis.call('ZCARD', KEYS[set]) end
if redis.call('EXISTS', KEYS[6]) == 0 then redis.call('SET', KEYS[6], ARGV[2]) end

local listed
local function isListed(id)
  if not listed then
    listed = {}
    for list = 1, 3 do
      for _, one in ipairs(redis.call('LRANGE', KEYS[list], 0, -1)) do listed[one] = true end
    end
  end
  return listed[id] or redis.call('ZSCORE', KEYS[4], id) or redis.call('ZSCORE', KEYS[5], id)
end

for unit = 3, #ARGV do
  local owner = ARGV[1] .. 'de:' .. ARGV[unit]
  local kind = redis.call('TYPE', owner).ok
  local id = kind == 'string' and redis.call('GET', owner)
  if kind ~= 'none' and not (id and isListed(id)) then
    redis.call('DEL', owner, ARGV[1] .. 'dn:' .. ARGV[unit])
    local job = ARGV[1] .. (id or '')
    if id and id:match('^%d+$') and redis.pcall('HEXISTS', job, 'finishedOn') == 0 then redis.call('DEL', job) end
  end
end
`;
