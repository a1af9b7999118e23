//! The layout of a composed text.

use hooks_text::one_line;

use super::{Composer, RequirementLevel, ResolvedHook};

const RFC_2119: &str = "> The following sections use requirement levels defined in [RFC 2119](https://www.rfc-editor.org/rfc/rfc2119).";
const RULE: &str = "\n\n---\n\n";
const BLANK_LINE: &str = "\n\n";

/// A text as it is being laid out, hook by hook.
#[derive(Clone, Copy)]
pub(super) struct Page<'c> {
    composer: &'c Composer,
    level: Option<RequirementLevel>,
    /// How many characters were written, where they are counted.
    pub(super) written: usize,
}

impl<'c> Page<'c> {
    pub(super) fn new(composer: &'c Composer) -> Page<'c> {
        Page {
            composer,
            level: None,
            written: 0,
        }
    }

    /// Lays out one more hook, giving `put` the parts of the text in turn.
    pub(super) fn hook(&mut self, hook: &ResolvedHook<'_>, mut put: impl FnMut(&str)) {
        let composer = self.composer;
        let summary = hook.summary();
        let level = summary.requirement_level;
        if self.level == Some(level) {
            put(&composer.between);
        } else {
            match self.level {
                Some(_) => put(RULE),
                None if composer.include_rfc2119_reference => {
                    put(RFC_2119);
                    put(if composer.as_printed {
                        BLANK_LINE
                    } else {
                        RULE
                    });
                }
                None => {}
            }
            self.level = Some(level);
            put("## ");
            put(level.as_str());
            if composer.include_preambles {
                put(BLANK_LINE);
                put(preamble(level));
            }
            put("\n\n### ");
        }
        if composer.shielded {
            put(&one_line(&summary.name))
        } else {
            put(&summary.name)
        }
        put(BLANK_LINE);
        let content = if composer.shielded {
            hook.shielded_content()
        } else {
            hook.content()
        };
        put(if composer.as_printed || composer.shielded {
            content.trim_end_matches(['\r', '\n'])
        } else {
            content
        });
    }
}

const fn preamble(level: RequirementLevel) -> &'static str {
    match level {
        RequirementLevel::Must => {
            "These are absolute requirements. You must follow these instructions."
        }
        RequirementLevel::MustNot => {
            "These are absolute prohibitions. You must not do these things."
        }
        RequirementLevel::Should => {
            "These are recommended actions. Follow unless you have good reason not to."
        }
        RequirementLevel::ShouldNot => "These are not recommended. May be done with good reason.",
        RequirementLevel::May => "These are optional. Use your judgment.",
    }
}
