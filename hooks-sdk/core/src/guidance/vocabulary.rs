//! The closed vocabularies of a definition: type, lifecycle, requirement level and MCP feature.

use std::{error::Error, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::macros::words;

/// A word that is not in one of the closed vocabularies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownWord {
    /// The word.
    pub word: Box<str>,
    /// The allowed words.
    pub known: &'static [&'static str],
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is none of ", self.word)?;
        for (at, word) in self.known.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}`{word}`")?;
        }
        Ok(())
    }
}

impl Error for UnknownWord {}

macro_rules! vocabulary {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal,)+ }
    )+) => {$(
        words! {
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[expect(clippy::exhaustive_enums, reason = "the document closes the vocabulary")]
            pub enum $name, ALL: "Returns the document's word." {
                $($(#[$word_doc])* $variant = $word,)+
            }
        }

        impl $name {
            /// The document's words, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            /// Reads the document's word, case-sensitive.
            fn from_str(word: &str) -> Result<$name, UnknownWord> {
                match word {
                    $($word => Ok($name::$variant),)+
                    _ => Err(UnknownWord { word: word.into(), known: $name::WORDS }),
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )+};
}

vocabulary! {
    /// What a hook is about.
    ///
    /// Implements the Hooks System document, "Types".
    HookType {
        /// Session lifecycle events.
        Session = "session",
        /// Tool and operation execution.
        Action = "action",
        /// Storage backend context.
        Storage = "storage",
        /// Configuration guidance.
        Config = "config",
    }

    /// When in the process a hook fires.
    ///
    /// Implements the Hooks System document, "Lifecycle Phases".
    Lifecycle {
        /// The process begins.
        Start = "start",
        /// During execution, tied to a request.
        Running = "running",
        /// A progress update.
        Progress = "progress",
        /// Cancellation was requested.
        Cancel = "cancel",
        /// The process is complete.
        End = "end",
    }

    /// How strongly a hook's text binds the agent, in the words of RFC 2119.
    ///
    /// Implements the Hooks System document, "Requirement Levels (RFC 2119)".
    RequirementLevel {
        /// Absolute requirement.
        Must = "MUST",
        /// Absolute prohibition.
        MustNot = "MUST NOT",
        /// Recommended.
        Should = "SHOULD",
        /// Not recommended.
        ShouldNot = "SHOULD NOT",
        /// Optional.
        May = "MAY",
    }

    /// A capability of MCP on which a hook may depend.
    ///
    /// Implements the Hooks System document, "MCP Features".
    McpFeature {
        /// The server has tools.
        Tools = "tools",
        /// The server has resources.
        Resources = "resources",
        /// The server has prompts.
        Prompts = "prompts",
        /// The client samples from its model.
        Sampling = "sampling",
        /// The client asks its user.
        Elicitation = "elicitation",
    }
}

/// A set of MCP features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct McpFeatures(u8);

impl McpFeatures {
    /// No feature.
    pub const EMPTY: McpFeatures = McpFeatures(0);

    /// Returns this set with one more feature.
    #[must_use]
    pub const fn with(self, feature: McpFeature) -> McpFeatures {
        McpFeatures(self.0 | 1 << feature as u8)
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set has the feature.
    pub const fn contains(self, feature: McpFeature) -> bool {
        self.0 & (1 << feature as u8) != 0
    }

    /// Returns whether both sets have a feature in common.
    pub const fn meets(self, other: McpFeatures) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the features of both sets.
    #[must_use]
    pub const fn union(self, other: McpFeatures) -> McpFeatures {
        McpFeatures(self.0 | other.0)
    }

    /// Returns the features of this set that the other set does not have.
    #[must_use]
    pub const fn without(self, other: McpFeatures) -> McpFeatures {
        McpFeatures(self.0 & !other.0)
    }

    /// Returns the features, in the document's order.
    pub fn iter(self) -> impl Iterator<Item = McpFeature> {
        let all = McpFeature::ALL.iter().copied();
        all.filter(move |&feature| self.contains(feature))
    }
}

impl FromIterator<McpFeature> for McpFeatures {
    fn from_iter<I: IntoIterator<Item = McpFeature>>(features: I) -> McpFeatures {
        let features = features.into_iter();
        features.fold(McpFeatures::EMPTY, McpFeatures::with)
    }
}

/// The requirement levels of RFC 2119, for `requirement = …`.
pub mod requirement {
    use super::RequirementLevel;

    crate::macros::constants! {
        /// `MUST`.
        MUST: RequirementLevel = Must;
        /// `MUST_NOT`.
        MUST_NOT: RequirementLevel = MustNot;
        /// `SHOULD`.
        SHOULD: RequirementLevel = Should;
        /// `SHOULD_NOT`.
        SHOULD_NOT: RequirementLevel = ShouldNot;
        /// `MAY`.
        MAY: RequirementLevel = May;
    }
}

/// The features of MCP, for `features(…)`.
pub mod feature {
    use super::McpFeature;

    crate::macros::constants! {
        /// `tools`.
        tools: McpFeature = Tools;
        /// `resources`.
        resources: McpFeature = Resources;
        /// `prompts`.
        prompts: McpFeature = Prompts;
        /// `sampling`.
        sampling: McpFeature = Sampling;
        /// `elicitation`.
        elicitation: McpFeature = Elicitation;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_reads_back_and_case_counts() {
        for (&level, &word) in RequirementLevel::ALL.iter().zip(RequirementLevel::WORDS) {
            assert_eq!(
                (level.to_string(), word.parse()),
                (word.to_owned(), Ok(level))
            );
        }
        let problem = "must".parse::<RequirementLevel>().unwrap_err();
        let known = "`MUST`, `MUST NOT`, `SHOULD`, `SHOULD NOT`, `MAY`";
        assert_eq!(problem.to_string(), format!("`must` is none of {known}"));
        assert!("roots".parse::<McpFeature>().is_err() && "".parse::<HookType>().is_err());
    }

    #[test]
    fn the_macros_know_every_word() {
        let known = [hooks_text::REQUIREMENTS.words, hooks_text::FEATURES.words];
        assert_eq!([requirement::WORDS, feature::WORDS], known);
    }

    #[test]
    fn a_set_of_features() {
        let some: McpFeatures = [McpFeature::Sampling, McpFeature::Tools]
            .into_iter()
            .collect();
        let tools = McpFeatures::EMPTY.with(McpFeature::Tools);
        assert_eq!(
            some.iter().collect::<Vec<_>>(),
            [McpFeature::Tools, McpFeature::Sampling]
        );
        assert_eq!(
            some.without(tools).iter().collect::<Vec<_>>(),
            [McpFeature::Sampling]
        );
        assert!(
            some.meets(tools) && !tools.meets(McpFeatures::EMPTY) && McpFeatures::EMPTY.is_empty()
        );
    }
}
