//! The rules of a server, for calls that it did not get: `hooks simulate`.

use std::{cell::Cell, sync::Arc};

use serde_json::{Map, Value};

use super::{
    call::Call,
    decide::{Deciding, Outcome},
};
use crate::{
    cli::CommandError,
    plugin::{Chain, Configuration, ListHook},
    server::{Collected, ServerHandler},
};

/// The code of a refusal because of too many calls in a time, which passes faster here than it did.
const LIMITED: &str = "rate_limited";

/// The rules that need no server.
pub(in crate::cli) struct Rules {
    chain: Chain,
    configuration: Option<Configuration>,
    lists: Vec<ListHook>,
    /// The hooks that need a server.
    left_out: Vec<String>,
    limited: Cell<u64>,
}

/// What the rules decided, unless the call is allowed.
pub(in crate::cli) enum Judged {
    Blocked { by: String, why: String },
    Asks { by: String, why: String },
}

impl Rules {
    /// Returns the rules of a server, as its own settings and its own configuration file place them.
    pub(in crate::cli) fn of<H: ServerHandler>(
        hooks: &Collected<H>,
    ) -> Result<Rules, CommandError> {
        let mut parts = hooks.policy_parts();
        let needs_server = |hook: &crate::plugin::PluginHook| hook.needs_server();
        let left_out = parts.hooks.iter().filter(|hook| needs_server(hook));
        let left_out = left_out.map(|hook| hook.id().to_owned()).collect();
        parts.hooks.retain(|hook| !needs_server(hook));
        let (chain, configuration) = parts.chain()?;
        let mut lists = parts.lists.clone();
        lists.extend(configuration.iter().flat_map(Configuration::lists).cloned());
        Ok(Rules {
            chain,
            configuration,
            lists,
            left_out,
            limited: Cell::new(0),
        })
    }

    /// Returns what was not judged, in sentences for people.
    pub(in crate::cli) fn left_out(&self) -> Vec<String> {
        let hooks = self.left_out.iter();
        let mut left_out: Vec<String> = hooks
            .map(|hook| format!("the plugin hook `{hook}` needs a server, and did not run"))
            .collect();
        match self.limited.get() {
            0 => {}
            calls => left_out.push(format!(
                "a limit of calls over time refused {calls} here, which does not count: the calls came slower"
            )),
        }
        left_out
    }

    /// Judges a call of one of the server's tools.
    pub(in crate::cli) async fn judge(
        &self,
        tool: &str,
        input: &Map<String, Value>,
        session: Option<&str>,
    ) -> Option<Judged> {
        let deciding = Deciding {
            chain: &self.chain,
            configuration: self.configuration.as_ref(),
            lists: &self.lists,
            server: Arc::new(()),
            tool: Box::new(|_| None),
        };
        let call = Call {
            tool: Some(tool.to_owned()),
            args: input.clone(),
            session: session.map(str::to_owned),
            ..Call::default()
        };
        let verdict = deciding.decide(call).await;
        let by = verdict.by.unwrap_or_default();
        let why = verdict.why.unwrap_or_default();
        match verdict.outcome {
            Outcome::Allowed => None,
            Outcome::Blocked if verdict.code.as_deref() == Some(LIMITED) => {
                self.limited.set(self.limited.get() + 1);
                None
            }
            Outcome::Blocked => Some(Judged::Blocked { by, why }),
            Outcome::Asks => Some(Judged::Asks { by, why }),
        }
    }
}
