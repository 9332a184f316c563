//! Quick hashes: of bytes, for tables that compare what they find, the same in every process; and maps for what is looked up
//! with every message, where the standard hasher costs more than the look-up.

/// A map by hash.
pub type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A set by hash.
pub type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;

/// Spreads bytes over 64 bits.
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
