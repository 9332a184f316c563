//! What happens when the caller frees a session.

use crate::error::{Error, ErrorCode};

/// The error for a session that the caller has freed.
pub fn freed_error() -> Error {
    Error::new(ErrorCode::Freed, "the session was freed (`free()` or `using`): create a new one")
}
