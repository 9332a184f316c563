//! Lists that grow with the conversation.

/// Appends an item. `Vec` doubles its capacity when full, so half of it may be unused, and WebAssembly memory is never given
/// back. This grows by a quarter instead.
pub fn append<T>(list: &mut Vec<T>, item: T) {
    make_room(list);
    list.push(item);
}

/// The same with an item that belongs at position `at`.
pub fn insert<T>(list: &mut Vec<T>, at: usize, item: T) {
    make_room(list);
    list.insert(at, item);
}

fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 4).max(8));
    }
}
