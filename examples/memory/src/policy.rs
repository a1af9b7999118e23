//! The options of `serve`: hooks of agents, and checks around the tools as ready-made plugins.

#[cfg(feature = "full")]
use std::env;
use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "full")]
use hooks_sdk::{
    Policy,
    log::{DecisionLog, Posture},
    plugin::{
        Instance,
        ready::{Confirm, RateLimit, Redact},
    },
};
use hooks_sdk::{cli::Program, server::Guidance};

use crate::Memory;

/// The checks around the tools. Each is off unless its option is given.
#[derive(Args, Clone, Debug, Default)]
pub struct Watch {
    /// Ask the user before a memory is deleted
    #[cfg(feature = "full")]
    #[arg(long)]
    confirm: bool,
    /// Replace secrets and personal data in what the tools answer
    #[cfg(feature = "full")]
    #[arg(long)]
    redact: bool,
    /// The file of the decision log, an option of the whole program
    #[arg(skip)]
    pub(crate) log: Option<PathBuf>,
    /// Let agents register hooks for their session, with a tool `hooks_register`
    #[arg(long)]
    agent_hooks: bool,
    /// Refuse calls beyond so many a minute, for each user and tool
    #[cfg(feature = "full")]
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

    /// Sets the policy of the options. With `one_user`, every call is the work of who runs the server.
    #[cfg(feature = "full")]
    pub(crate) fn around(&self, program: Program<Memory>, one_user: bool) -> Program<Memory> {
        let program = match self.policy(one_user) {
            Some(policy) => program.policy(policy),
            None => program,
        };
        match &self.log {
            Some(file) => program.log(DecisionLog::to(file, Posture::Deny)),
            None => program,
        }
    }

    /// This build has no checks.
    #[cfg(not(feature = "full"))]
    pub(crate) fn around(&self, program: Program<Memory>, _one_user: bool) -> Program<Memory> {
        program
    }

    /// The policy of the options; `None` without options. With `one_user`, every call is the work of who runs the server.
    #[cfg(feature = "full")]
    fn policy(&self, one_user: bool) -> Option<Policy> {
        let Watch {
            confirm,
            redact,
            log,
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
        if plugins.is_empty() && log.is_none() {
            return None;
        }
        let mut policy = Policy::new();
        if one_user {
            policy = policy.user(|_| env::var("USER").or_else(|_| env::var("USERNAME")).ok());
        }
        Some(plugins.into_iter().fold(policy, Policy::with))
    }
}
