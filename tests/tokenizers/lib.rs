//! The tests are in `tests`. They are a separate crate, because the reference implementation takes minutes to compile.
