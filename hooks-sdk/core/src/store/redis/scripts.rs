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
