//! Enums whose variants have names outside: in JSON, in options, in snapshots.

/// Defines an enum whose variants have no data, each with its name: `ALL`, `as_str` and `parse` follow from one list.
macro_rules! names {
    (
        $(#[$about:meta])*
        $visibility:vis enum $enum:ident {
            $($(#[$about_variant:meta])* $variant:ident = $name:literal),* $(,)?
        }
    ) => {
        $(#[$about])*
        $visibility enum $enum {
            $($(#[$about_variant])* $variant),*
        }

        #[allow(dead_code, reason = "not every enum needs all of them")]
        impl $enum {
            /// Every one, in the order of the definition.
            $visibility const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The names, in the same order.
            $visibility const NAMES: [&'static str; Self::ALL.len()] = [$($name),*];

            /// Its name.
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }

            /// The one with this name.
            $visibility fn parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == name)
            }
        }
    };
}
pub(crate) use names;
