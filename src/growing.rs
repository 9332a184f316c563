//! Lists that grow with the conversation.

/// Appends. `Vec` doubles what it holds where it is full: half of it may stand empty then, and the memory that a module has
/// taken once is never given back.
pub fn append<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 4).max(8));
    }
    list.push(item);
}
