//! Long loops, cut up.
//!
//! A WebAssembly engine begins with slow code and puts better code in its place between two calls. See `strides` of the crate
//! `bpe`.

/// Items in one go.
pub const STRIDE: usize = 1024;

/// Calls `step` for `items`, a stride at a time, until it says `None`.
pub fn in_strides<S, T>(items: &[T], state: &mut S, step: fn(&mut S, &[T]) -> Option<()>) -> Option<()> {
    let step = std::hint::black_box(step);
    items.chunks(STRIDE).try_for_each(|items| step(state, items))
}

/// Calls `step`, which does a stride at a time, for as long as it says that there is more.
pub fn while_more<S, E>(state: &mut S, step: fn(&mut S) -> Result<bool, E>) -> Result<(), E> {
    let step = std::hint::black_box(step);
    while step(state)? {}
    Ok(())
}
