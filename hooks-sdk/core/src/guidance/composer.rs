//! The composition of hooks' texts into one, by requirement level.

use std::{borrow::Cow, cmp::Reverse, sync::Arc};

use super::{
    ComposedHooksResult, FailedHook, RequirementLevel, ResolvedHook, SkippedHook, Timestamp,
    composed::notices,
    page::{FRAMED, Page},
};
use crate::macros::setters;

/// Composes the texts of hooks into one markdown text, by requirement level and priority.
///
/// The default text equals the reference implementation's, byte for byte.
///
/// Implements the Hooks System document, "Composer Behavior" and "Composer API".
///
/// ```
/// use hooks_sdk::guidance::{Composer, ContentLoader, HookInput, HookQuery, HookRegistry, HookType, Lifecycle, RequirementLevel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = HookRegistry::with_app("notes")?;
/// let welcome = HookInput::new(HookType::Session, Lifecycle::Start, "welcome", "Welcome", RequirementLevel::Should);
/// registry.register(welcome.text("Read the open notes first."))?;
///
/// let found = registry.query(&HookQuery::at(HookType::Session, Lifecycle::Start));
/// let loaded = ContentLoader::new("hooks").load_all(&found).await;
/// let page = Composer::new().max_characters(8_000).compose(&loaded.resolved);
/// assert!(page.content.contains("Read the open notes first."));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Composer {
    pub(super) include_preambles: bool,
    pub(super) include_rfc2119_reference: bool,
    /// The text between two hooks of one section, up to the second hook's name.
    pub(super) between: Cow<'static, str>,
    pub(super) as_printed: bool,
    pub(super) shielded: bool,
    compact: bool,
    max_hooks: usize,
    max_characters: usize,
}

impl Composer {
    /// Makes a composer of the reference implementation's text.
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

    /// Makes a composer of the text as the document prints it:
    ///
    /// - No rule follows the RFC line, and a rule separates the hooks of one section.
    /// - A text ends with its last line.
    /// - `MUST` and `MUST NOT` are one group, and so are `SHOULD` and `SHOULD NOT`. The hooks of a group are sorted by
    ///   priority, and a new heading begins where the level changes.
    pub fn as_printed() -> Composer {
        Composer {
            as_printed: true,
            between: Cow::Borrowed("\n\n---\n\n### "),
            ..Composer::new()
        }
    }

    setters! {
        /// Sets whether each section explains its level.
        fn include_preambles(mut self, include_preambles: bool) { self.include_preambles = include_preambles }

        /// Sets whether the text begins with the line about RFC 2119.
        fn include_rfc2119_reference(mut self, include_rfc2119_reference: bool) {
            self.include_rfc2119_reference = include_rfc2119_reference;
        }

        /// Sets the text between the hooks of one section. Default: a blank line.
        fn separator(mut self, separator: impl AsRef<str>) {
            self.between = Cow::Owned(format!("{}### ", separator.as_ref()));
        }

        /// Sets the maximum number of hooks.
        fn max_hooks(mut self, max_hooks: usize) { self.max_hooks = max_hooks }

        /// Sets the maximum number of characters. A hook that exceeds it is skipped, and the next hooks are tried.
        fn max_characters(mut self, max_characters: usize) { self.max_characters = max_characters }

        /// Sets whether texts are shielded, so that no text can look like a section. By default, texts and names stay
        /// unchanged. Shielding has these effects:
        ///
        /// - Outside code fences, an ATX heading of level 1 to 3, a setext underline and a thematic break get a
        ///   backslash before their first mark. So does a fence that is never closed.
        /// - Line ends become line feeds. A byte order mark, control characters other than tabs, and line ends after the
        ///   last line are removed.
        /// - A name becomes one line.
        fn shielded(mut self, shielded: bool) { self.shielded = shielded }

        /// Sets whether one or two texts are printed after their levels, and not as a page.
        #[doc(hidden)]
        fn compact(mut self, compact: bool) { self.compact = compact }
    }

    /// Composes texts. Hooks beyond a limit are skipped, with a notice.
    pub fn compose(&self, hooks: &[ResolvedHook<'_>]) -> ComposedHooksResult {
        self.compose_with_transparency(hooks, Vec::new(), Vec::new())
    }

    /// Composes texts, and adds the hooks that were skipped or failed before to the result.
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
        // The hooks that a limit admits may be few enough for levels, whose length differs from that of a page.
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

    /// Returns the hooks in the order of the text: by level or pair of levels, then by priority, then as given.
    fn in_order<'r, 'h>(&self, hooks: &'r [ResolvedHook<'h>]) -> Vec<&'r ResolvedHook<'h>> {
        let mut ordered: Vec<&ResolvedHook<'_>> = Vec::with_capacity(hooks.len());
        for group in 0..RequirementLevel::ALL.len() {
            let start = ordered.len();
            ordered.extend(hooks.iter().filter(|hook| self.group(hook) == group));
            // A stable sort; it is fast, because the hooks of a query are already sorted by priority.
            ordered[start..].sort_by_key(|hook| Reverse(hook.summary().priority));
        }
        ordered
    }

    fn group(&self, hook: &ResolvedHook<'_>) -> usize {
        let level = hook.summary().requirement_level as usize;
        if self.as_printed { level / 2 } else { level }
    }

    /// Returns whether there are so few hooks that each is printed after its level.
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
