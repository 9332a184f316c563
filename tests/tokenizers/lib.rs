//! The tests are in `tests`: a crate of its own, for what they are held against takes minutes to compile.
