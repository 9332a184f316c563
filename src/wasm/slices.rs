//! Runs long work in short slices, so that the host's event loop can go on, and limits the total time. The core itself has no
//! clock.

use js_sys::{Date, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_name = setTimeout)]
    fn set_timeout(callback: &Function, milliseconds: i32) -> Result<JsValue, JsValue>;
}

/// How many steps run between two checks of the clock.
const STEPS_PER_CHECK: u64 = 50_000;

/// The milliseconds after which the event loop gets its turn.
const SLICE_MS: f64 = 10.0;

/// The default for the milliseconds of all slices together.
const DEFAULT_TOTAL_MS: u64 = 2_000;

/// The state of the work after a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceState {
    /// It is done, or its time is up.
    Done,
    /// There is more to do.
    More,
}

/// The time that is left for the work, in milliseconds.
pub struct Slices {
    remaining_ms: f64,
}

impl Slices {
    pub fn new(milliseconds: Option<u64>) -> Self {
        Self { remaining_ms: milliseconds.unwrap_or(DEFAULT_TOTAL_MS) as f64 }
    }

    /// Runs one slice. `work` takes a number of steps and returns whether it is done.
    pub fn take<E>(&mut self, mut work: impl FnMut(u64) -> Result<bool, E>) -> Result<SliceState, E> {
        let began = Date::now();
        loop {
            if work(STEPS_PER_CHECK)? {
                return Ok(SliceState::Done);
            }
            // At least 0.1 ms, so that the loop ends even if the clock stands still or was set back.
            let taken = (Date::now() - began).max(0.1);
            if taken >= SLICE_MS.min(self.remaining_ms) {
                self.remaining_ms -= taken;
                return Ok(if self.remaining_ms > 0.0 { SliceState::More } else { SliceState::Done });
            }
        }
    }

    /// Yields to the event loop.
    pub async fn yield_to_event_loop() {
        let turn = Promise::new(&mut |resolve, _| {
            if set_timeout(&resolve, 0).is_err() {
                let _ = resolve.call0(&JsValue::UNDEFINED);
            }
        });
        let _ = JsFuture::from(turn).await;
    }
}
