//! `rate_limit`: refuses tool calls that come too often.

use std::{
    convert::Infallible,
    fmt,
    num::NonZeroU32,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use futures::future;
use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::NoOpMiddleware,
    state::keyed::HashMapStateStore,
};
use serde::Deserialize;

use super::{
    super::{Plugin, PluginContext, PluginHooks, ToolCall, point},
    globs::Globs,
};
use crate::core::{HookError, Verdict, Violation};

/// How many sessions, users and tools are counted apart. Beyond it, all others share one count.
const MAX_KEYS: usize = 10_000;
/// After so many calls the counts that nobody needs any more are dropped.
const SWEEP: u32 = 1024;

type Limiter = RateLimiter<
    String,
    HashMapStateStore<String>,
    MonotonicClock,
    NoOpMiddleware<std::time::Instant>,
>;

/// Refuses tool calls that come too often, and says when to try again.
///
/// ```yaml
/// kind: rate_limit
/// config: { calls: 60, per: minute, burst: 10, tools: ["search*"], by: [session, tool] }
/// ```
///
/// ```
/// use hooks_sdk::plugin::ready::RateLimit;
///
/// let limit = RateLimit::new().per_minute(60).burst(10).tool("search*");
/// ```
///
/// Without more it allows 60 calls a minute, counted apart for each session, user and tool. Calls without a session or
/// a user share one count. Counts are kept in this process; at most 10,000 are kept. The refusal has the code
/// `rate_limited`, and `retry_after_ms` in its details. Several limits are several instances with different ids.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimit {
    calls: NonZeroU32,
    per: Per,
    burst: Option<NonZeroU32>,
    tools: Globs,
    by: Vec<RateKey>,
    #[serde(skip)]
    counts: OnceLock<Counted>,
}

struct Counted {
    limiter: Limiter,
    calls: AtomicU32,
    full: AtomicBool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Per {
    Second,
    Minute,
    Hour,
}

/// What a [`RateLimit`] counts apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RateKey {
    /// Each session.
    Session,
    /// Each user.
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
            by: vec![RateKey::Session, RateKey::User, RateKey::Tool],
            counts: OnceLock::new(),
        }
    }
}

impl RateLimit {
    /// Creates a limit of 60 calls a minute for each session, user and tool.
    pub fn new() -> RateLimit {
        RateLimit::default()
    }

    /// Allows so many calls a second, at least one.
    #[must_use]
    pub fn per_second(self, calls: u32) -> RateLimit {
        self.rate(calls, Per::Second)
    }

    /// Allows so many calls a minute, at least one.
    #[must_use]
    pub fn per_minute(self, calls: u32) -> RateLimit {
        self.rate(calls, Per::Minute)
    }

    /// Allows so many calls an hour, at least one.
    #[must_use]
    pub fn per_hour(self, calls: u32) -> RateLimit {
        self.rate(calls, Per::Hour)
    }

    fn rate(mut self, calls: u32, per: Per) -> RateLimit {
        self.calls = NonZeroU32::new(calls).unwrap_or(NonZeroU32::MIN);
        self.per = per;
        self
    }

    /// Sets how many calls may come at once, at least one. Without it, as many as in the whole time.
    #[must_use]
    pub fn burst(mut self, calls: u32) -> RateLimit {
        self.burst = Some(NonZeroU32::new(calls).unwrap_or(NonZeroU32::MIN));
        self
    }

    /// Limits the tools that match a glob. Without it, every tool.
    ///
    /// # Panics
    ///
    /// The glob is malformed.
    #[must_use]
    #[track_caller]
    pub fn tool(mut self, glob: &str) -> RateLimit {
        self.tools.add(glob);
        self
    }

    /// Sets what is counted apart. Nothing means one count for all calls.
    #[must_use]
    pub fn by(mut self, keys: impl IntoIterator<Item = RateKey>) -> RateLimit {
        self.by = keys.into_iter().collect();
        self
    }

    fn check(&self, call: &ToolCall, cx: &PluginContext) -> Verdict<Infallible> {
        if !self.tools.admits(&call.name) {
            return Verdict::Allow;
        }
        let counted = self.counts.get_or_init(|| Counted::new(self.quota()));
        let Err(wait) = counted.count(self.key(call, cx)) else {
            return Verdict::Allow;
        };
        let per = match self.per {
            Per::Second => "a second",
            Per::Minute => "a minute",
            Per::Hour => "an hour",
        };
        let mut violation = Violation::new(format!(
            "`{}` is called too often; at most {} calls {per} are allowed",
            call.name, self.calls
        ));
        violation.code = "rate_limited".to_owned();
        let milliseconds = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
        violation.description = format!("try again in {} s", milliseconds.div_ceil(1000));
        violation
            .details
            .insert("retry_after_ms".to_owned(), milliseconds.into());
        Verdict::Deny(violation)
    }

    fn quota(&self) -> Quota {
        let quota = match self.per {
            Per::Second => Quota::per_second(self.calls),
            Per::Minute => Quota::per_minute(self.calls),
            Per::Hour => Quota::per_hour(self.calls),
        };
        quota.allow_burst(self.burst.unwrap_or(self.calls))
    }

    fn key(&self, call: &ToolCall, cx: &PluginContext) -> String {
        let mut key = String::new();
        for part in &self.by {
            let part = match part {
                RateKey::Session => cx.global.session.as_deref(),
                RateKey::User => cx.global.user.as_deref(),
                RateKey::Tool => Some(&*call.name),
            };
            // The length keeps two rows of parts apart that read alike.
            let part = part.unwrap_or_default();
            key.push_str(&format!("{}:{part}", part.len()));
        }
        key
    }
}

impl Counted {
    fn new(quota: Quota) -> Counted {
        Counted {
            limiter: RateLimiter::hashmap_with_clock(quota, MonotonicClock),
            calls: AtomicU32::new(0),
            full: AtomicBool::new(false),
        }
    }

    /// Counts a call, or returns how long to wait.
    fn count(&self, key: String) -> Result<(), Duration> {
        if self.calls.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            self.limiter.retain_recent();
            let full = self.limiter.len() > MAX_KEYS - SWEEP as usize;
            if full && !self.full.load(Ordering::Relaxed) {
                tracing::warn!(
                    "`rate_limit` counts {MAX_KEYS} sessions, users and tools; others share one count"
                );
            }
            self.full.store(full, Ordering::Relaxed);
        }
        let key = if self.full.load(Ordering::Relaxed) {
            String::new()
        } else {
            key
        };
        let counted = self.limiter.check_key(&key);
        counted.map_err(|not_until| not_until.wait_time_from(self.limiter.clock().now()))
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit")
            .field("calls", &self.calls)
            .field("per", &self.per)
            .field("burst", &self.burst)
            .field("tools", &self.tools)
            .field("by", &self.by)
            .finish_non_exhaustive()
    }
}

impl Plugin for RateLimit {
    const KIND: &'static str = "rate_limit";
    type Config = RateLimit;

    fn new(config: RateLimit) -> Result<RateLimit, HookError> {
        Ok(config)
    }

    fn hooks() -> PluginHooks<RateLimit> {
        PluginHooks::new().on(point::tool_pre_invoke, |limit: &RateLimit, call, cx| {
            Box::pin(future::ready(limit.check(call, cx)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_counts_are_kept_than_may_be() {
        let counted = Counted::new(RateLimit::new().per_hour(1).quota());
        for session in 0..3 * MAX_KEYS {
            _ = counted.count(session.to_string());
        }
        assert!(
            counted.limiter.len() <= MAX_KEYS,
            "{}",
            counted.limiter.len()
        );
        assert!(
            counted.count("0".to_owned()).is_err(),
            "what was counted stays"
        );
    }
}
