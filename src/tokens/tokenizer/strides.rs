//! Long loops, cut up.

/// Items in one go.
const STRIDE: usize = 1024;

/// Calls `step` for `items`, a stride at a time, until it says `None`.
///
/// A WebAssembly engine begins with slow code and puts better code in its place between two calls. See `strides` of the crate
/// `bpe`.
pub fn in_strides<S, T>(items: &[T], state: &mut S, step: fn(&mut S, &[T]) -> Option<()>) -> Option<()> {
    let step = std::hint::black_box(step);
    items.chunks(STRIDE).try_for_each(|items| step(state, items))
}
