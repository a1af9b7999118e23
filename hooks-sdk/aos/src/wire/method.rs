//! The methods of the document, by their words on the wire.

use hooks_core::internal::words;
use serde::{Serialize, Serializer};

macro_rules! is {
    (native) => {
        true
    };
    (protocol) => {
        false
    };
    (modify) => {
        true
    };
    (keep) => {
        false
    };
}

macro_rules! methods {
    ($(
        $(#[$about:meta])+
        $method:ident = $wire:literal $of:ident $may:ident, $payload:ident in $member:literal { $($points:tt)* }
    )+) => {
        words! {
            /// A method of the document.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            #[non_exhaustive]
            pub enum Method, ALL: "Returns the word on the wire." {
                $($(#[$about])+ $method = $wire,)+
            }
        }

        impl Method {
            /// Returns whether the step is one of the agent itself, and so has a context.
            pub const fn is_native(self) -> bool {
                match self {
                    $(Method::$method => is!($of),)+
                }
            }

            /// Returns the member of the params that the payload is in.
            pub(super) const fn member(self) -> &'static str {
                match self {
                    $(Method::$method => $member,)+
                }
            }

            /// Returns whether a guardian may answer the step with another payload.
            pub const fn modifies(self) -> bool {
                match self {
                    $(Method::$method => is!($may),)+
                }
            }
        }
    };
}
hooks_text::aos_steps!(methods);

impl Method {
    /// Returns the method with this word.
    pub fn named(word: &str) -> Option<Method> {
        let mut all = Method::ALL.iter().copied();
        all.find(|method| method.as_str() == word)
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Method;

    #[test]
    fn words_are_read_back() {
        for method in Method::ALL {
            assert_eq!(Method::named(method.as_str()), Some(*method));
        }
        assert_eq!(Method::named("steps/knowledge"), None);
        assert_eq!(Method::named("Ping"), None);
    }
}
