//! Fast hashing: a hash of bytes that is the same in every process, for tables that compare what they find; and maps, because the
//! standard hasher would often cost more than the look-up. All use them, so that maps of the same types are in the module once.

/// A hash map.
pub type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A hash set.
pub type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;

/// A 64-bit hash of bytes.
pub fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    hash ^ (hash >> 29) ^ (hash >> 47)
}
