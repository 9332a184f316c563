//! Long loops, cut up.

use std::ops::Range;

/// Rounds in one go.
pub(super) const STRIDE: usize = 2048;

/// Calls `step` for `range`, a stride at a time.
///
/// A WebAssembly engine begins with quickly made, slow code and puts better code in its place between two calls: a loop
/// of 200,000 rounds in one function would stay slow to its end. The pointer that nobody sees through keeps an optimiser
/// from making one function of it again.
pub(super) fn in_strides<T>(range: Range<usize>, state: &mut T, step: fn(&mut T, Range<usize>)) {
    let step = std::hint::black_box(step);
    for start in range.clone().step_by(STRIDE) {
        step(state, start..range.end.min(start + STRIDE));
    }
}
