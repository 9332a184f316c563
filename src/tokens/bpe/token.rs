//! A token as a merge of two others.

/// How a token is made and which merges use it, in 64 bits: the ids of its left and right part (its own id for a single
/// byte), and the lowest ranks of the merges that have it on the left and on the right, in units of [`STEP`], rounded down.
#[derive(Clone, Copy)]
pub(super) struct Token(u64);

const ID_BITS: u32 = 18;
const STEP_BITS: u32 = 14;
/// The ranks per unit, so that 2^18 ids fit in 14 bits.
const STEP: u32 = 16;
const NEVER: u64 = (1 << STEP_BITS) - 1;

impl Token {
    pub const fn new(left: u32, right: u32) -> Self {
        Self(
            left as u64
                | (right as u64) << ID_BITS
                | NEVER << (2 * ID_BITS)
                | NEVER << (2 * ID_BITS + STEP_BITS),
        )
    }

    #[inline(always)]
    pub const fn left(self) -> u32 {
        (self.0 & ((1 << ID_BITS) - 1)) as u32
    }

    #[inline(always)]
    pub const fn right(self) -> u32 {
        (self.0 >> ID_BITS & ((1 << ID_BITS) - 1)) as u32
    }

    #[inline(always)]
    pub const fn parts(self) -> u64 {
        self.0 & ((1 << (2 * ID_BITS)) - 1)
    }

    /// No merge with a lower rank has this token on the left.
    #[inline(always)]
    pub const fn first_as_left(self) -> u32 {
        (self.0 >> (2 * ID_BITS) & NEVER) as u32 * STEP
    }

    /// No merge with a lower rank has this token on the right.
    #[inline(always)]
    pub const fn first_as_right(self) -> u32 {
        (self.0 >> (2 * ID_BITS + STEP_BITS)) as u32 * STEP
    }

    /// Merges must be added in order of rank: only the first call has an effect.
    pub fn merges_as_left(&mut self, id: u32) {
        if self.first_as_left() == NEVER as u32 * STEP {
            self.0 ^= (NEVER ^ u64::from(id / STEP)) << (2 * ID_BITS);
        }
    }

    pub fn merges_as_right(&mut self, id: u32) {
        if self.first_as_right() == NEVER as u32 * STEP {
            self.0 ^= (NEVER ^ u64::from(id / STEP)) << (2 * ID_BITS + STEP_BITS);
        }
    }
}
