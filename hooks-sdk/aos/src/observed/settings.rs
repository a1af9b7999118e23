//! What an author sets for a client of a guardian.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use super::{Bypass, GuardianClient, Messages};
use crate::Agent;
use hooks_core::internal::{debugs, setters};

/// The longest time for one question, unless the author sets another.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);

/// The largest question in bytes, unless the author sets another: a guardian of this SDK reads as much.
pub(super) const MAX_QUESTION: usize = 4 * 1024 * 1024;

/// A kind of content that the document has no place for, so that a guardian sees only a description of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Unseen {
    /// An image.
    Image,
    /// A sound.
    Audio,
    /// A resource that is part of the result, or the bytes of a resource that was read.
    Resource,
    /// A link to a resource.
    Link,
}

impl Unseen {
    /// Every kind.
    pub const ALL: &'static [Unseen] =
        &[Unseen::Image, Unseen::Audio, Unseen::Resource, Unseen::Link];
}

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) timeout: Duration,
    pub(super) max_question: usize,
    /// The URL of the provider that is named for a server without a `websiteUrl`.
    pub(super) provider_url: Option<Arc<str>>,
    pub(super) lenient: bool,
    pub(super) agent: Option<Arc<Agent>>,
    pub(super) pass_unseen: BTreeSet<Unseen>,
    pub(super) messages: Option<Messages>,
    pub(super) with_tool_steps: bool,
    pub(super) blocked_text: Option<Arc<str>>,
    pub(super) on_bypass: Option<OnBypass>,
}

type OnBypass = Arc<dyn Fn(&Bypass) + Send + Sync>;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            timeout: TIMEOUT,
            max_question: MAX_QUESTION,
            provider_url: None,
            lenient: false,
            agent: None,
            pass_unseen: BTreeSet::new(),
            messages: None,
            with_tool_steps: false,
            blocked_text: None,
            on_bypass: None,
        }
    }
}

debugs!(Settings {
    timeout,
    lenient,
    pass_unseen,
    messages
});

impl<P> GuardianClient<P> {
    setters! {
        /// Sets the longest time for one question, from the connection to the end of the answer. The default is 5 seconds.
        ///
        /// Over HTTP, a question waits for a place among the questions under way for the same time at most, before that.
        fn timeout(mut self, timeout: Duration) { self.set().timeout = timeout }

        /// Sets the largest question, in bytes. The default is 4 MiB, which is also the most that a guardian of this SDK reads.
        ///
        /// A larger step is denied under each posture, before the guardian is asked: a client could otherwise go around a
        /// guardian by sending more than it reads. In the same process, only the contents of the step count.
        fn max_question(mut self, bytes: usize) { self.set().max_question = bytes }

        /// Sets the URL of the provider for a client without an [`agent`](GuardianClient::agent), if the server's information
        /// has no `websiteUrl`. The server's name is then the name of the agent and of its provider.
        fn provider_url(mut self, url: impl Into<Arc<str>>) { self.set().provider_url = Some(url.into()) }

        /// Sets the agent of every step: this server. Its provider is required. Empty instructions and an empty version become
        /// the server's own.
        fn agent(mut self, agent: Agent) { self.set().agent = Some(Arc::new(agent)) }

        /// Accepts decisions of guardians that are not exact about the document, where their meaning is clear: without a
        /// message, for example. A guardian in the same process is always exact.
        fn lenient(mut self) { self.set().lenient = true }

        /// Lets contents of these kinds pass, although the guardian sees no more than their description. Without this they are
        /// taken out of results.
        fn pass_unseen(mut self, kinds: impl IntoIterator<Item = Unseen>) { self.set().pass_unseen.extend(kinds) }

        /// Sets the sentence before the guardian's message in [`Denied::blocked_text`](super::Denied::blocked_text).
        fn blocked_text(mut self, sentence: impl Into<Arc<str>>) { self.set().blocked_text = Some(sentence.into()) }

        /// Calls `record` for each step that goes on without a decision. It runs before the step goes on, so it must not block.
        /// A panic in it is logged.
        fn on_bypass(mut self, record: impl Fn(&Bypass) + Send + Sync + 'static) { self.set().on_bypass = Some(Arc::new(record)) }
    }

    /// Returns whether contents of this kind pass unseen.
    pub fn passes_unseen(&self, kind: Unseen) -> bool {
        self.settings.pass_unseen.contains(&kind)
    }

    pub(super) fn set(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }
}
