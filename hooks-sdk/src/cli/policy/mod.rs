//! `hooks policy check`: says what a configuration file of plugin hooks would do, and what it decides about calls.

mod call;
#[cfg(all(test, feature = "policy"))]
mod tests;
mod verdict;

use std::{io::Write, path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use self::{call::read_calls, verdict::CallVerdict};
use super::{
    CommandError, Program,
    judge::{Judge, JudgedItem, UserAnswer},
    options::OutputFormat,
    plugins, print,
    program::runtime,
};
use crate::{
    plugin::{Chain, Configuration, ListHook, ListOf, Listed, ListedItem, PluginHook},
    server::ServerHandler,
};

/// The commands about the policy.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// Check a policy file, and show its hooks or its decisions about calls
    ///
    /// Makes the server with this file, as `serve` does, and refuses what `serve` refuses. Shows the hooks of each point
    /// in their order. With `--call` or `--calls`, sends each call the server's own way: names, session, hooks, schemas,
    /// questions and a guardian in this process decide as they do for a client. Hooks and plugins really run, but no tool
    /// does, nothing is written into stores or the decision log, and a guardian over HTTP is not asked.
    ///
    /// Exit code: 0 if every call is allowed, 1 if one is blocked, 3 if none is blocked and a hook asks the user, 2 if
    /// the file or a call has a mistake, or the server cannot be made.
    Check(CheckOptions),
}

/// The arguments of `hooks policy check`.
#[derive(Clone, Debug, Args)]
pub(super) struct CheckOptions {
    /// The configuration file, in YAML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A call as JSON: `{"tool": "…", "args": {…}, "user": "…"}`; may be repeated, and later calls find the session as
    /// earlier ones left it
    #[arg(long = "call", value_name = "JSON", conflicts_with = "calls")]
    call: Vec<String>,
    /// A file of calls, one on each line
    #[arg(long, value_name = "FILE")]
    calls: Option<PathBuf>,
    /// The user's answer where a call has no `answers`; without it, the call waits for its user
    #[arg(long, value_enum, value_name = "ANSWER")]
    answer: Option<UserAnswer>,
    #[command(flatten)]
    format: OutputFormat,
}

/// The file or a call has a mistake.
const WRONG: u8 = 2;

impl PolicyCommand {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        let PolicyCommand::Check(check) = self;
        check.run(program).unwrap_or_else(|error| {
            print::outcome(Err(error));
            ExitCode::from(WRONG)
        })
    }
}

impl CheckOptions {
    fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<ExitCode, CommandError> {
        let parts = program.hooks()?.policy_parts();
        // Its mistakes are the first that `serve` finds, and have their lines.
        let configuration = Configuration::read(&self.file, &parts.kinds, &parts.hooks)?;
        let chain = configuration.chain(parts.hooks.iter().cloned(), |chain| parts.settle(chain));
        let calls = read_calls(&self.call, self.calls.as_deref())?;
        let runtime = runtime()?;
        let verdicts = runtime.block_on(async {
            let judge = Judge::of(program, Some(&self.file)).await?;
            let lists: Vec<ListHook> = parts
                .lists
                .iter()
                .chain(configuration.lists())
                .cloned()
                .collect();
            if calls.is_empty() {
                let warnings = judge.warnings(&chain, &lists);
                self.describe(&configuration, &chain, &warnings)?;
                return Ok(Vec::new());
            }
            let mut verdicts = Vec::new();
            for call in &calls.0 {
                let judged = judge.judge(call.judging(self.answer)).await;
                let (of, name) = match call.item() {
                    JudgedItem::Tool(name) => (ListOf::Tools, name),
                    JudgedItem::Prompt(name) => (ListOf::Prompts, name),
                    JudgedItem::Resource(uri) => (ListOf::Resources, uri),
                    JudgedItem::Completion(of) if of.is_of_prompt => (ListOf::Prompts, of.name),
                    JudgedItem::Completion(of) => (ListOf::ResourceTemplates, of.name),
                };
                let mut verdict = CallVerdict::of(name, judged, &chain, call.points());
                if verdict.is_unlisted()
                    && let Some(hook) = unlisted(&lists, of, name, judge.definition(name))
                {
                    verdict.explained(hook, "it is hidden".to_owned());
                }
                verdicts.push(verdict);
            }
            if let Some(left_out) = judge.left_out() {
                _ = writeln!(std::io::stderr(), "note: {left_out}");
            }
            Ok::<_, CommandError>(verdicts)
        });
        // Hooks that nobody waits for may still run.
        runtime.shutdown_background();
        let verdicts = verdicts?;
        if calls.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        if self.format.json {
            print::json(&verdicts)?;
        } else {
            let pages: Vec<String> = verdicts.iter().map(CallVerdict::page).collect();
            print::text(&pages.join("\n"))?;
        }
        let exit = verdicts.iter().map(CallVerdict::exit);
        // Denial stands before asked, and asked before allowed.
        let exit = exit.min_by_key(|exit| if *exit == 0 { u8::MAX } else { *exit });
        Ok(ExitCode::from(exit.unwrap_or_default()))
    }

    fn describe(
        &self,
        configuration: &Configuration,
        chain: &Chain,
        warnings: &[String],
    ) -> Result<(), CommandError> {
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
                "warnings": warnings,
            }));
        }
        let mut page = plugins::page(chain, |hook| Some(place(hook)));
        if page.is_empty() {
            page = "No plugin hook stands at any point.".to_owned();
        }
        let notes = configuration.notes().map(|note| format!("note: {note}"));
        let warnings = warnings.iter().map(|warning| format!("warning: {warning}"));
        let lines = configuration
            .settings()
            .into_iter()
            .chain(notes)
            .chain(warnings);
        let lines: Vec<String> = lines.collect();
        if !lines.is_empty() {
            page.push_str(&format!("\n\n{}", lines.join("\n")));
        }
        print::text(&page)
    }
}

/// Returns the list hook that hides the item of this name.
fn unlisted(
    lists: &[ListHook],
    of: ListOf,
    name: &str,
    definition: Option<Map<String, Value>>,
) -> Option<String> {
    let nameless = || Map::from_iter([(of.key().to_owned(), name.into())]);
    let mut shown = ListedItem::new(of, definition.unwrap_or_else(nameless));
    for hook in lists {
        match hook.show(&shown) {
            Listed::Shown => {}
            Listed::Hidden => return Some(hook.id().to_owned()),
            Listed::As(other) => shown = other,
        }
    }
    None
}
