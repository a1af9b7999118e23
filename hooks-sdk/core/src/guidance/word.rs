//! The words that attributes take as values, as constants named after them.

macro_rules! words {
    ($($(#[$doc:meta])+ $module:ident: $vocabulary:ident { $($word:ident = $variant:ident,)+ })+) => {
        #[cfg(test)]
        const WORDS: &[&[&str]] = &[$(&[$(stringify!($word)),+]),+];
    $(
        $(#[$doc])+
        pub mod $module {
            use crate::guidance::$vocabulary;

            $(
                #[doc = concat!("`", stringify!($word), "`.")]
                #[allow(non_upper_case_globals, reason = "named after its word in an attribute")]
                pub const $word: $vocabulary = $vocabulary::$variant;
            )+
        }
    )+};
}

words! {
    /// The requirement levels of RFC 2119, for `requirement = …`.
    requirement: RequirementLevel {
        MUST = Must,
        MUST_NOT = MustNot,
        SHOULD = Should,
        SHOULD_NOT = ShouldNot,
        MAY = May,
    }
    /// The features of MCP, for `features(…)`.
    feature: McpFeature {
        tools = Tools,
        resources = Resources,
        prompts = Prompts,
        sampling = Sampling,
        elicitation = Elicitation,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_know_every_word() {
        let known = [hooks_text::REQUIREMENTS.words, hooks_text::FEATURES.words];
        assert_eq!(super::WORDS, known);
    }
}
