//! The scripts that Redis runs. Each touches one key, and returns its first argument first.

/// Looks an entry up.
pub(super) const LOAD: &str = "
return {ARGV[1], redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}";

/// Writes the entry ARGV[3] for ARGV[4] milliseconds if the head of the present one is ARGV[2]; of none, it is empty.
pub(super) const SWAP: &str = "
if redis.call('GETRANGE', KEYS[1], 0, 8) == ARGV[2] then
  redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
  return {ARGV[1]}
end
return {ARGV[1], redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}";

/// Deletes the entry, if its head is ARGV[2] or ARGV[2] is empty.
pub(super) const DELETE: &str = "
if ARGV[2] == '' or redis.call('GETRANGE', KEYS[1], 0, 8) == ARGV[2] then
  redis.call('DEL', KEYS[1])
end
return {ARGV[1]}";

/// Appends ARGV[2] to a stream of at most ARGV[4] entries, and keeps the stream for ARGV[3] milliseconds.
///
/// The position is the time in microseconds, so that a stream that has expired does not begin again. If the clock was
/// set back, the position is the one after the last.
pub(super) const APPEND: &str = "
local time = redis.call('TIME')
local position = string.format('%.0f', time[1] * 1000000 + time[2])
local function add(call)
  return call('XADD', KEYS[1], 'MAXLEN', ARGV[4], position .. '-0', 'b', ARGV[2])
end
if type(add(redis.pcall)) == 'table' then
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if last then
    position = string.format('%.0f', string.match(last[1], '^%d+') + 1)
  end
  add(redis.call)
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', KEYS[1], '')
return {ARGV[1], position}";

/// Reads at most ARGV[3] entries from the position ARGV[2] on.
pub(super) const READ: &str = "
return {ARGV[1], redis.call('XRANGE', KEYS[1], ARGV[2] .. '-0', '+', 'COUNT', ARGV[3])}";

/// Returns the name of the newest entry of a stream.
pub(super) const NEWEST: &str = "
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return {ARGV[1], last and last[1]}";
