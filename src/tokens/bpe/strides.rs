//! Splits long loops into shorter ones.

use std::ops::Range;

/// The iterations per call.
pub(super) const STRIDE: usize = 2048;

/// Calls `step` for parts of `range`, [`STRIDE`] iterations each.
///
/// A WebAssembly engine starts with slow code and replaces a function by optimized code only between two calls, so a loop of
/// 200,000 iterations in one function would stay slow until its end. `black_box` keeps the compiler from inlining the calls
/// into one function again.
pub(super) fn in_strides<T>(range: Range<usize>, state: &mut T, step: fn(&mut T, Range<usize>)) {
    let step = std::hint::black_box(step);
    for start in range.clone().step_by(STRIDE) {
        step(state, start..range.end.min(start + STRIDE));
    }
}
