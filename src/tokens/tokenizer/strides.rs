//! Splits long loops into shorter ones.
//!
//! A WebAssembly engine starts with slow code and switches to optimized code only between two calls. See `strides` in the
//! crate `bpe`.

/// The items per call.
pub const STRIDE: usize = 1024;

/// Calls `step` for parts of `items`, [`STRIDE`] items each, until it returns `None`.
pub fn in_strides<S, T>(items: &[T], state: &mut S, step: fn(&mut S, &[T]) -> Option<()>) -> Option<()> {
    let step = std::hint::black_box(step);
    items.chunks(STRIDE).try_for_each(|items| step(state, items))
}

/// Calls `step`, which does a part of the work, as long as it returns that there is more.
pub fn while_more<S, E>(state: &mut S, step: fn(&mut S) -> Result<bool, E>) -> Result<(), E> {
    let step = std::hint::black_box(step);
    while step(state)? {}
    Ok(())
}
