//! Lists that grow with the conversation.

/// Appends an item. `Vec` doubles its capacity when full, so half of it may be unused, and WebAssembly memory is never given
/// back. This grows by a quarter instead.
pub fn append<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 4).max(8));
    }
    list.push(item);
}
