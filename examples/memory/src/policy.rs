//! What the user asks to be watched: the options of `serve`, as ready-made plugins.

use std::{env, path::PathBuf};

use clap::Args;
use hooks_sdk::{
    Policy,
    plugin::{
        Instance,
        ready::{Audit, Confirm, RateLimit, Redact},
    },
    server::Guidance,
};

/// The checks around the tools. Each is off unless its option is given.
#[derive(Args, Clone, Debug, Default)]
pub struct Watch {
    /// Ask the user before a memory is deleted
    #[arg(long)]
    confirm: bool,
    /// Replace secrets and personal data in what the tools answer
    #[arg(long)]
    redact: bool,
    /// Write a line for each call to this file: who, what, decision, cost; no contents
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Let agents register hooks for their session, with a tool `hooks_register`
    #[arg(long)]
    agent_hooks: bool,
    /// Refuse calls beyond so many a minute, for each user and tool
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate_limit: Option<u32>,
}

impl Watch {
    /// The guidance of the options.
    pub(crate) fn guidance(&self, guidance: Guidance) -> Guidance {
        if self.agent_hooks {
            guidance.register_tool()
        } else {
            guidance
        }
    }

    /// The policy of the options; `None` without options. With `one_user`, every call is the work of who runs the server.
    pub(crate) fn policy(&self, one_user: bool) -> Option<Policy> {
        let Watch {
            confirm,
            redact,
            audit,
            rate_limit,
            agent_hooks: _,
        } = self;
        let mut plugins: Vec<Instance> = Vec::new();
        // The cheap refusal first, the question to the user last.
        plugins.extend(
            rate_limit.map(|calls| Instance::of(RateLimit::new().per_minute(calls)).priority(10)),
        );
        plugins.extend(
            confirm.then(|| Instance::of(Confirm::new().tool("delete_memory")).priority(90)),
        );
        plugins.extend(redact.then(|| Instance::of(Redact::new())));
        if plugins.is_empty() && audit.is_none() {
            return None;
        }
        let mut policy = Policy::new();
        if one_user {
            policy = policy.user(|_| env::var("USER").or_else(|_| env::var("USERNAME")).ok());
        }
        let policy = plugins.into_iter().fold(policy, Policy::with);
        Some(match audit {
            Some(file) => policy.audit(Audit::to(file)),
            None => policy,
        })
    }
}
