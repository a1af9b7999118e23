//! The closed vocabularies of the attributes. The constants of the protocols define what a word means.

use crate::nearest::meant;

/// The words that are allowed in one place of an attribute. Tests in the protocols compare them with the protocol's constants.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Vocabulary {
    /// What a word names.
    pub what: &'static str,
    /// The module of the protocol with a constant for each word; empty if the words are texts.
    pub module: &'static str,
    /// The words, in the order of messages.
    pub words: &'static [&'static str],
}

impl Vocabulary {
    pub(crate) const fn new(
        what: &'static str,
        module: &'static str,
        words: &'static [&'static str],
    ) -> Vocabulary {
        Vocabulary {
            what,
            module,
            words,
        }
    }

    /// Returns the message about `word` and the edit that mends it; `None` for a word of the vocabulary.
    pub fn complaint(&self, word: &str) -> Option<(String, String)> {
        if self.words.contains(&word) {
            return None;
        }
        let wrong = format!("unknown {} `{word}`", self.what);
        let help = match meant(word, self.words) {
            Some(meant) => format!("write `{meant}`"),
            None => format!("use one of `{}`", self.words.join("`, `")),
        };
        Some((wrong, help))
    }

    /// Lists the words as values of `key`: `` `key = one`, `another` or `third` ``.
    pub fn values(&self, key: &str) -> String {
        let (last, others) = self.words.split_last().expect("a word");
        let others: String = others.iter().map(|word| format!("`, `{word}")).collect();
        match others.strip_prefix("`, `") {
            Some(others) => format!("`{key} = {others}` or `{last}`"),
            None => format!("`{key} = {last}`"),
        }
    }
}

/// The points of lifecycle hooks.
pub const LIFECYCLE_POINTS: Vocabulary = Vocabulary::new(
    "point",
    "point",
    &[
        "session_start",
        "session_end",
        "pre_tool_use",
        "post_tool_use",
        "pre_request",
        "post_request",
    ],
);

/// The event that a lifecycle hook takes at each point.
pub const LIFECYCLE_INPUTS: &[(&str, &str)] = &[
    ("session_start", "SessionStart"),
    ("session_end", "SessionEnd"),
    ("pre_tool_use", "PreToolUse"),
    ("post_tool_use", "PostToolUse"),
    ("pre_request", "PreRequest"),
    ("post_request", "PostRequest"),
];

/// How strongly lifecycle hooks want the agent to act.
pub const STRENGTHS: Vocabulary = Vocabulary::new(
    "strength",
    "strength",
    &["suggestion", "important", "required"],
);

/// The conditions of a lifecycle hook's matcher.
pub const CONDITIONS: Vocabulary = Vocabulary::new(
    "condition",
    "",
    &["tool_name", "input_contains", "tool_server"],
);

/// What happens where a hook gives no answer.
pub const POSTURES: Vocabulary = Vocabulary::new("posture", "posture", &["deny", "proceed"]);

/// The types of guidance hooks.
pub const TYPES: Vocabulary =
    Vocabulary::new("type", "point", &["session", "action", "storage", "config"]);

/// The lifecycles of guidance hooks.
pub const LIFECYCLES: Vocabulary = Vocabulary::new(
    "lifecycle",
    "point",
    &["start", "running", "progress", "cancel", "end"],
);

/// The requirement levels of guidance hooks, as words of Rust.
pub const REQUIREMENTS: Vocabulary = Vocabulary::new(
    "requirement",
    "requirement",
    &["MUST", "MUST_NOT", "SHOULD", "SHOULD_NOT", "MAY"],
);

/// The features of MCP on which a guidance hook may depend.
pub const FEATURES: Vocabulary = Vocabulary::new(
    "feature",
    "feature",
    &["tools", "resources", "prompts", "sampling", "elicitation"],
);

/// Where an MCPL hook's injection goes.
pub const POSITIONS: Vocabulary = Vocabulary::new(
    "position",
    "position",
    &["system", "before_user", "after_user"],
);

/// What a plugin hook may do with a request.
pub const PLUGIN_MODES: Vocabulary = Vocabulary::new(
    "mode",
    "mode",
    &[
        "enforce",
        "permissive",
        "disabled",
        "audit",
        "concurrent",
        "fire_and_forget",
    ],
);

/// The kinds of tools of agent clients. The last one is known only to be refused: no client asks its hooks about it.
pub const AGENT_TOOL_KINDS: Vocabulary = Vocabulary::new(
    "kind",
    "agent_tool_kind",
    &[
        "shell",
        "read",
        "write",
        "edit",
        "fetch",
        "mcp",
        "subagent",
        "other",
        "shell_input",
    ],
);

/// The lists that a server answers.
pub const PLUGIN_LISTS: Vocabulary = Vocabulary::new(
    "list",
    "list_of",
    &["tools", "prompts", "resources", "resource_templates"],
);

#[cfg(test)]
mod tests {
    use super::*;

    fn help(vocabulary: &Vocabulary, word: &str) -> String {
        vocabulary.complaint(word).expect("unknown").1
    }

    #[test]
    fn a_word_of_the_vocabulary_is_no_complaint() {
        for word in STRENGTHS.words {
            assert_eq!(STRENGTHS.complaint(word), None);
        }
    }

    #[test]
    fn what_was_probably_meant_is_proposed_and_otherwise_every_word() {
        let (wrong, _) = LIFECYCLE_POINTS.complaint("session_begin").unwrap();
        assert_eq!(wrong, "unknown point `session_begin`");
        let all = "use one of `session_start`, `session_end`, `pre_tool_use`, `post_tool_use`, `pre_request`, \
            `post_request`";
        assert_eq!(help(&LIFECYCLE_POINTS, "session_begin"), all);
        assert_eq!(
            help(&LIFECYCLE_POINTS, "post_tool_us"),
            "write `post_tool_use`"
        );
        assert_eq!(help(&REQUIREMENTS, "must"), "write `MUST`");
        assert_eq!(help(&POSITIONS, "afteruser"), "write `after_user`");
        let levels = "use one of `MUST`, `MUST_NOT`, `SHOULD`, `SHOULD_NOT`, `MAY`";
        for word in ["MUST_CALL", "MUSTNT"] {
            assert_eq!(help(&REQUIREMENTS, word), levels);
        }
    }

    #[test]
    fn values_are_listed_as_a_sentence() {
        let values = STRENGTHS.values("strength");
        assert_eq!(values, "`strength = suggestion`, `important` or `required`");
        assert_eq!(
            Vocabulary::new("word", "", &["one"]).values("key"),
            "`key = one`"
        );
    }
}
