//! `hooks policy check`: says what a configuration file of plugin hooks would do, and what it decides about calls.

mod call;
mod decide;
mod over_http;
mod rules;

use std::{any::Any, io::Write, path::PathBuf, process::ExitCode, sync::Arc};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

pub(super) use self::rules::{Judged, Rules};
use self::{
    call::read_calls,
    decide::{Deciding, Verdict},
};
use super::{CommandError, Program, command::OutputFormat, plugins, print, program::runtime};
use crate::{
    plugin::{Chain, Configuration, PluginHook},
    server::ServerHandler,
};

/// The commands about the policy.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Policy {
    /// Check a configuration file, and show what it would do
    ///
    /// Reads the file for this program, with the program's own plugin hooks and kinds. Shows the hooks of each point in
    /// their order. With --call or --calls, runs each call through the hooks as a server would, and shows the decision
    /// of each. Hooks and plugins really run, but no tool does.
    ///
    /// Exit code: 0 if every call is allowed, 1 if one is blocked, 3 if none is blocked and a hook asks the user, 2 if
    /// the file or a call has a mistake.
    Check(Check),
}

/// The arguments of `hooks policy check`.
#[derive(Clone, Debug, Args)]
pub(super) struct Check {
    /// The configuration file, in YAML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A call as JSON: `{"tool": "…", "args": {…}, "user": "…"}`, or an HTTP request:
    /// `{"http": {"path": "/mcp", "method": "POST", "headers": {…}}, "response": {…}}`
    #[arg(long, value_name = "JSON", conflicts_with = "calls")]
    call: Option<String>,
    /// A file of calls, one on each line
    #[arg(long, value_name = "FILE")]
    calls: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
}

/// The file or a call has a mistake.
const WRONG: u8 = 2;

impl Policy {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        let Policy::Check(check) = self;
        check.run(program).unwrap_or_else(|error| {
            _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(WRONG)
        })
    }
}

impl Check {
    fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<ExitCode, CommandError> {
        let collected = program.hooks()?;
        let parts = collected.policy_parts();
        let configuration = Configuration::read(&self.file, &parts.kinds, &parts.hooks)?;
        let chain = configuration.chain(parts.hooks.iter().cloned(), |chain| parts.settle(chain));
        let calls = read_calls(self.call.as_deref(), self.calls.as_deref())?;
        if calls.is_empty() {
            self.describe(&configuration, &chain)?;
            return Ok(ExitCode::SUCCESS);
        }
        let runtime = runtime()?;
        let verdicts = runtime.block_on(async {
            let (server, tool) = self.server(program, &chain).await?;
            let mut lists = parts.lists.clone();
            lists.extend(configuration.lists().iter().cloned());
            let deciding = Deciding {
                chain: &chain,
                configuration: Some(&configuration),
                lists: &lists,
                server,
                tool,
            };
            let mut verdicts = Vec::new();
            for call in calls.0 {
                verdicts.push(deciding.decide(call).await);
            }
            Ok::<_, CommandError>(verdicts)
        });
        // Hooks that nobody waits for may still run.
        runtime.shutdown_background();
        let verdicts = verdicts?;
        if self.format.json {
            print::json(&verdicts)?;
        } else {
            let pages: Vec<String> = verdicts.iter().map(Verdict::page).collect();
            print::text(&pages.join("\n"))?;
        }
        let exit = verdicts.iter().map(|verdict| verdict.outcome.exit());
        // Denial stands before asked, and asked before allowed.
        let exit = exit.min_by_key(|exit| if *exit == 0 { u8::MAX } else { *exit });
        Ok(ExitCode::from(exit.unwrap_or_default()))
    }

    /// Makes the server for hooks that need it, and for the definitions of tools.
    async fn server<H: ServerHandler>(
        &self,
        program: &Program<H>,
        chain: &Chain,
    ) -> Result<(Arc<dyn Any + Send + Sync>, decide::Tools), CommandError> {
        match program.server().await {
            Ok(server) => {
                let server = Arc::new(server);
                let author = server.clone();
                let tool = move |name: &str| serde_json::to_value(author.get_tool(name)?).ok();
                Ok((server, Box::new(tool)))
            }
            Err(error) => match chain.hooks().find(|hook| hook.needs_server()) {
                Some(hook) => {
                    Err(format!("the hook `{}` needs a server, and {error}", hook.id()).into())
                }
                None => {
                    tracing::warn!(%error, "without a server, hooks see no definitions of tools");
                    Ok((Arc::new(()), Box::new(|_| None)))
                }
            },
        }
    }

    fn describe(&self, configuration: &Configuration, chain: &Chain) -> Result<(), CommandError> {
        let place = |hook: &PluginHook| plugins::place(hook, Some(configuration));
        if self.format.json {
            let hooks = chain.hooks().map(|hook| {
                let mut shown = plugins::json(hook);
                shown["from"] = place(hook).into();
                shown
            });
            return print::json(&json!({
                "file": self.file,
                "hooks": hooks.collect::<Vec<Value>>(),
                "settings": configuration.settings(),
                "notes": configuration.notes().collect::<Vec<_>>(),
            }));
        }
        let mut page = plugins::page(chain, |hook| Some(place(hook)));
        if page.is_empty() {
            page = "No plugin hook stands at any point.".to_owned();
        }
        let notes = configuration.notes().map(|note| format!("note: {note}"));
        let lines: Vec<String> = configuration.settings().into_iter().chain(notes).collect();
        if !lines.is_empty() {
            page.push_str(&format!("\n\n{}", lines.join("\n")));
        }
        print::text(&page)
    }
}
