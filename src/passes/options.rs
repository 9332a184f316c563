use serde_json::{Value, json};

use super::Pass;
use crate::config::Keys;
use crate::error::Result;

/// The options of a pass. A pass without options takes both methods as they are.
pub trait Options {
    /// Its options as in the `ladder` option, without the name.
    fn options(&self) -> Value {
        json!({})
    }

    /// Reads them. An option that is missing has its default.
    fn read(_keys: &mut Keys<'_>) -> Result<Box<dyn Pass>>
    where
        Self: Pass + Default + Sized + 'static,
    {
        Ok(Box::new(Self::default()))
    }
}

/// Defines a pass by the table of its options: each has its key, the method of [`Keys`] that reads it, its field and its
/// default. Fields behind `besides` are not options.
macro_rules! options {
    (
        $(#[$about:meta])*
        pub struct $pass:ident {
            $($(#[$option:meta])* $key:literal: $read:ident$(($range:expr))? => $field:ident: $type:ty = $default:expr,)*
            $(besides { $($(#[$about_own:meta])* $own:ident: $own_type:ty = $start:expr,)* })?
        }
    ) => {
        $(#[$about])*
        pub struct $pass {
            $($(#[$option])* pub $field: $type,)*
            $($($(#[$about_own])* pub(super) $own: $own_type,)*)?
        }

        impl Default for $pass {
            fn default() -> Self {
                Self { $($field: $default,)* $($($own: $start,)*)? }
            }
        }

        impl $crate::passes::Options for $pass {
            fn options(&self) -> serde_json::Value {
                serde_json::json!({ $($key: self.$field),* })
            }

            fn read(
                keys: &mut $crate::config::Keys<'_>,
            ) -> $crate::error::Result<Box<dyn $crate::passes::Pass>> {
                let mut pass = Self::default();
                $(if let Some(given) = keys.$read($key $(, $range)?)? {
                    pass.$field = given;
                })*
                $crate::passes::Pass::check(&pass, keys)?;
                Ok(Box::new(pass))
            }
        }
    };
}
pub(super) use options;
