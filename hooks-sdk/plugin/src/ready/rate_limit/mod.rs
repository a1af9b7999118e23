//! `rate_limit`: refuses tool calls that come too often.

mod counts;

use std::{convert::Infallible, num::NonZeroU32, sync::OnceLock};

use serde::Deserialize;

use self::counts::{LimitCounts, Rate, SHARE};

use super::{
    super::{PluginContext, ToolCall},
    globs::Globs,
};
use hooks_core::{
    Verdict, Violation,
    internal::{debugs, setters},
};

/// How many tools are counted apart where callers are not.
const TOOLS: usize = 1024;
/// How much of a tool's name a refusal says, in characters.
const NAMED: usize = 128;

/// Refuses tool calls that come too often, and says when to try again.
///
/// ```yaml
/// kind: rate_limit
/// config: { calls: 60, per: minute, burst: 10, tools: ["search*"], by: [user, tool] }
/// ```
///
/// ```
/// use hooks_sdk::plugin::ready::RateLimit;
///
/// let limit = RateLimit::new().per_minute(60).burst(10).tool("search*");
/// ```
///
/// Without more it allows 60 calls a minute, counted apart for each user and tool. The refusal has the code
/// `rate_limited`, and `retry_after_ms` in its details. Several limits are several instances with different ids.
///
/// A call without a user is counted by what the server itself knows of its sender:
///
/// - on a stream, the connection;
/// - over HTTP, the address of the peer and the transport's session. On 2026-07-28 there is no such session, and where the
///   address is not known, all these calls share one count. A client that opens further sessions gets a count for each, at
///   most 64 for each address; a principal has one count, whatever the session.
///
/// What a client chooses, such as `_meta.sessionId` or the handle of a session, counts nothing.
///
/// # Limits
///
/// Counts are kept in this process, as hashes: at most 10,000 callers with 64 counts each, about 12 MB. A caller's further
/// tools, and the tools that the server does not know, share one count of that caller. Callers beyond the 10,000 share one
/// count, and who is counted stays counted.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimit {
    calls: NonZeroU32,
    per: Per,
    burst: Option<NonZeroU32>,
    tools: Globs,
    by: Vec<RateKey>,
    #[serde(skip)]
    counts: OnceLock<LimitCounts>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Per {
    Second,
    Minute,
    Hour,
}

impl Per {
    /// Returns the time in words, and its seconds.
    fn named(self) -> (&'static str, u64) {
        match self {
            Per::Second => ("a second", 1),
            Per::Minute => ("a minute", 60),
            Per::Hour => ("an hour", 3600),
        }
    }
}

/// What a [`RateLimit`] counts apart.
///
/// ```
/// use hooks_sdk::plugin::ready::{RateKey, RateLimit};
///
/// let limit = RateLimit::new().per_minute(60).by([RateKey::User]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateKey {
    /// Each user; without a user, each connection.
    User,
    /// Each tool.
    Tool,
}

impl Default for RateLimit {
    fn default() -> RateLimit {
        RateLimit {
            calls: NonZeroU32::MIN.saturating_add(59),
            per: Per::Minute,
            burst: None,
            tools: Globs::default(),
            by: vec![RateKey::User, RateKey::Tool],
            counts: OnceLock::new(),
        }
    }
}

fn at_least_one(calls: u32) -> NonZeroU32 {
    NonZeroU32::new(calls).unwrap_or(NonZeroU32::MIN)
}

impl RateLimit {
    setters! {
        /// Allows so many calls a second, at least one.
        fn per_second(mut self, calls: u32) { (self.calls, self.per) = (at_least_one(calls), Per::Second) }

        /// Allows so many calls a minute, at least one.
        fn per_minute(mut self, calls: u32) { (self.calls, self.per) = (at_least_one(calls), Per::Minute) }

        /// Allows so many calls an hour, at least one.
        fn per_hour(mut self, calls: u32) { (self.calls, self.per) = (at_least_one(calls), Per::Hour) }

        /// Sets how many calls may come at once, at least one. Without it, as many as in the whole time.
        fn burst(mut self, calls: u32) { self.burst = Some(at_least_one(calls)) }

        /// Sets what is counted apart. Nothing means one count for all calls.
        fn by(mut self, keys: impl IntoIterator<Item = RateKey>) { self.by = keys.into_iter().collect() }
    }

    adds_glob! {
        /// Limits the tools that match a glob. Without it, every tool.
        tool to tools
    }

    fn check(&self, call: &ToolCall, cx: &PluginContext) -> Verdict<Infallible> {
        if !self.tools.admits(&call.name) {
            return Verdict::Allow;
        }
        let by_user = self.by.contains(&RateKey::User);
        let share = if by_user { SHARE } else { TOOLS };
        let counts = self.counts.get_or_init(|| LimitCounts::new(share));
        let caller = match (&cx.global.user, cx.global.sender()) {
            _ if !by_user => counts.hash(()),
            (Some(user), _) => counts.hash((cx.global.tenant_id.as_deref(), user)),
            (None, sender) => counts.hash(sender.map(|(peer, _)| peer)),
        };
        let session = match (&cx.global.user, cx.global.sender()) {
            (None, Some((_, session))) if by_user => Some(session),
            _ => None,
        };
        let by_tool = self.by.contains(&RateKey::Tool);
        let key = counts.hash((session, by_tool.then_some(&*call.name)));
        let is_known = || !by_tool || cx.global.is_known();
        let Err(wait) = counts.count(self.allowed(), caller, key, is_known) else {
            return Verdict::Allow;
        };
        let (per, _) = self.per.named();
        let mut violation = Violation::new(format!(
            "`{}` is called too often; at most {} calls {per} are allowed",
            call.name.chars().take(NAMED).collect::<String>(),
            self.calls
        ));
        violation.code = "rate_limited".to_owned();
        let milliseconds = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
        violation.description = format!("try again in {} s", milliseconds.div_ceil(1000));
        violation
            .details
            .insert("retry_after_ms".to_owned(), milliseconds.into());
        Verdict::Deny(violation)
    }

    fn allowed(&self) -> Rate {
        let (_, seconds) = self.per.named();
        Rate {
            interval: (seconds * 1_000_000_000 / u64::from(self.calls.get())).max(1),
            burst: self.burst.unwrap_or(self.calls).get(),
        }
    }
}

debugs!(RateLimit {
    calls,
    per,
    burst,
    tools,
    by
});

ready!(RateLimit = "rate_limit", "Creates a limit of 60 calls a minute for each user and tool." { tool_pre_invoke => RateLimit::check; });
