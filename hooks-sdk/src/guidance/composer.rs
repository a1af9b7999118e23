//! Composing the texts of hooks into one, by requirement level.

use std::{borrow::Cow, cmp::Reverse, sync::Arc};

use super::{
    ComposedHooksResult, FailedHook, RequirementLevel, ResolvedHook, SkippedHook, Timestamp,
    composed::notices,
    page::{FRAMED, Page},
};

/// Composes the texts of hooks into one markdown text, by requirement level and priority.
///
/// With nothing set the text is, byte for byte, that of the reference implementation.
///
/// Implements the Hooks System document, "Composer Behavior" and "Composer API".
#[derive(Clone, Debug)]
pub struct Composer {
    pub(super) include_preambles: bool,
    pub(super) include_rfc2119_reference: bool,
    /// What stands between two hooks of one section, up to the second one's name.
    pub(super) between: Cow<'static, str>,
    pub(super) as_printed: bool,
    pub(super) shielded: bool,
    compact: bool,
    max_hooks: usize,
    max_characters: usize,
}

impl Composer {
    /// A composer of the reference implementation's text.
    pub fn new() -> Composer {
        Composer {
            include_preambles: true,
            include_rfc2119_reference: true,
            between: Cow::Borrowed("\n\n### "),
            as_printed: false,
            shielded: false,
            compact: false,
            max_hooks: usize::MAX,
            max_characters: usize::MAX,
        }
    }

    /// A composer of the text as the document prints it.
    ///
    /// There is no rule behind the RFC line; hooks of one section are separated by a rule; texts end with
    /// their last line. `MUST` and `MUST NOT` are one group, and so are `SHOULD` and `SHOULD NOT`: the hooks
    /// of a group stand by priority, under a new heading wherever the level changes.
    pub fn as_printed() -> Composer {
        Composer {
            as_printed: true,
            between: Cow::Borrowed("\n\n---\n\n### "),
            ..Composer::new()
        }
    }

    /// Whether each section says what its level means.
    #[must_use]
    pub fn include_preambles(self, include_preambles: bool) -> Composer {
        Composer {
            include_preambles,
            ..self
        }
    }

    /// Whether the text opens with the line about RFC 2119.
    #[must_use]
    pub fn include_rfc2119_reference(self, include_rfc2119_reference: bool) -> Composer {
        Composer {
            include_rfc2119_reference,
            ..self
        }
    }

    /// What stands between the hooks of one section; a blank line when not set.
    #[must_use]
    pub fn separator(self, separator: impl AsRef<str>) -> Composer {
        let between = Cow::Owned(format!("{}### ", separator.as_ref()));
        Composer { between, ..self }
    }

    /// Includes at most so many hooks.
    #[must_use]
    pub fn max_hooks(self, max_hooks: usize) -> Composer {
        Composer { max_hooks, ..self }
    }

    /// Makes the text at most so many characters long: a hook that would exceed it is left out, and those
    /// behind it are tried.
    #[must_use]
    pub fn max_characters(self, max_characters: usize) -> Composer {
        Composer {
            max_characters,
            ..self
        }
    }

    /// Whether texts are made safe to stand among others, so that none can forge a section.
    ///
    /// Outside code fences a line that is an ATX heading of level 1 to 3, a setext underline or a thematic
    /// break gets a backslash before its first mark, and so does a fence that is never closed. Line ends
    /// become line feeds; a byte order mark and control characters other than tabs are left out, and so are
    /// line ends behind the last line. A name becomes one line. Without it, the default, texts and names stand as they are.
    #[must_use]
    pub fn shielded(self, shielded: bool) -> Composer {
        Composer { shielded, ..self }
    }

    /// Whether one or two texts are no page, but each framed by its level.
    #[cfg(any(test, feature = "server"))]
    pub(crate) fn compact(self, compact: bool) -> Composer {
        Composer { compact, ..self }
    }

    /// Composes texts; hooks beyond a limit are skipped, with a notice.
    pub fn compose(&self, hooks: &[ResolvedHook<'_>]) -> ComposedHooksResult {
        self.compose_with_transparency(hooks, Vec::new(), Vec::new())
    }

    /// Composes texts, and tells of the hooks that were skipped or failed before.
    pub fn compose_with_transparency(
        &self,
        hooks: &[ResolvedHook<'_>],
        skipped: Vec<SkippedHook>,
        failed: Vec<FailedHook>,
    ) -> ComposedHooksResult {
        let mut skipped_hooks = skipped;
        let mut hooks = self.in_order(hooks);
        let mut framed = self.frames(&hooks);
        self.limit(&mut hooks, framed, &mut skipped_hooks);
        // What a limit leaves may be few enough, and its frames are another length than the page.
        if !framed && self.frames(&hooks) {
            framed = true;
            self.limit(&mut hooks, framed, &mut skipped_hooks);
        }
        ComposedHooksResult {
            content: self.write(&hooks, framed),
            included_hooks: hooks
                .iter()
                .map(|hook| Arc::clone(hook.summary()))
                .collect(),
            notices: notices(&skipped_hooks, &failed),
            skipped_hooks,
            failed_hooks: failed,
            composed_at: Timestamp::now(),
        }
    }

    /// The hooks in the order of the text: by level or pair of levels, then by priority, then as given.
    fn in_order<'r, 'h>(&self, hooks: &'r [ResolvedHook<'h>]) -> Vec<&'r ResolvedHook<'h>> {
        let Some(first) = hooks.first() else {
            return Vec::new();
        };
        let mut ends = [0; RequirementLevel::ALL.len()];
        for hook in hooks {
            ends[self.group(hook)] += 1;
        }
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        // A counting sort: what comes from a query is in order within each level already.
        let mut ordered = vec![first; hooks.len()];
        for hook in hooks {
            let place = &mut ends[self.group(hook)];
            ordered[*place] = hook;
            *place += 1;
        }
        let mut start = 0;
        for end in ends {
            let group = &mut ordered[start..end];
            let priority = |hook: &&ResolvedHook<'_>| Reverse(hook.summary().priority);
            if !group.is_sorted_by_key(priority) {
                group.sort_by_key(priority);
            }
            start = end;
        }
        ordered
    }

    fn group(&self, hook: &ResolvedHook<'_>) -> usize {
        let level = hook.summary().requirement_level as usize;
        if self.as_printed { level / 2 } else { level }
    }

    /// Whether these are so few that each is framed by its level.
    fn frames(&self, hooks: &[&ResolvedHook<'_>]) -> bool {
        self.compact && hooks.len() <= FRAMED
    }

    fn limit(
        &self,
        hooks: &mut Vec<&ResolvedHook<'_>>,
        framed: bool,
        skipped: &mut Vec<SkippedHook>,
    ) {
        if self.max_characters != usize::MAX {
            let mut page = Page::new(self, framed);
            hooks.retain(|hook| {
                let mut longer = page;
                let length = |part: &str| part.chars().count();
                let mut characters = page.written;
                longer.hook(hook, |part| characters += length(part));
                if characters > self.max_characters {
                    let limit = format!("limit of {} characters", self.max_characters);
                    skipped.push(SkippedHook::limit(hook.summary(), limit));
                    return false;
                }
                longer.written = characters;
                page = longer;
                true
            });
        }
        if hooks.len() > self.max_hooks {
            let limit = format!("limit of {} hooks", self.max_hooks);
            let dropped = hooks.drain(self.max_hooks..);
            skipped.extend(dropped.map(|hook| SkippedHook::limit(hook.summary(), &*limit)));
        }
    }

    fn write(&self, hooks: &[&ResolvedHook<'_>], framed: bool) -> String {
        let mut length = 0;
        let mut page = Page::new(self, framed);
        for hook in hooks {
            page.hook(hook, |part| length += part.len());
        }
        let mut content = String::with_capacity(length);
        let mut page = Page::new(self, framed);
        for hook in hooks {
            page.hook(hook, |part| content.push_str(part));
        }
        content
    }
}

impl Default for Composer {
    fn default() -> Composer {
        Composer::new()
    }
}
