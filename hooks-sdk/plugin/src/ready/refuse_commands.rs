//! `refuse_commands`: refuses shell commands of an agent.

use std::{convert::Infallible, path::Path};

use serde::Deserialize;

use super::{
    super::{AgentToolCall, AgentToolKind, PluginContext},
    globs::Globs,
    refusal,
};
use hooks_core::{HookError, Verdict, condition::ShellCommand, internal::setters};

/// Refuses shell commands that match a glob, and programs that name a path outside of the project's folder.
///
/// ```yaml
/// - name: by_hand
///   kind: refuse_commands
///   posture: deny
///   config:
///     commands: ["git push*main*", "git push*--force*", "npm publish*"]
///     inside_project: [rm, mv]
/// ```
///
/// Each command of a list, a pipe or a substitution is compared by itself, without quotes, with one blank between words, and
/// without the folder of its program. A command of `git` is compared without the options before its subcommand too. A word
/// that only the shell knows may be any word: with the posture `deny` the plugin fails where the command could match then.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RefuseCommands {
    commands: Globs,
    inside_project: Vec<String>,
    reason: Option<String>,
}

impl RefuseCommands {
    adds_glob! {
        /// Refuses the commands that match a glob.
        command to commands
    }

    setters! {
        /// Refuses calls in which this program runs and a path outside of the project's folder is named.
        fn inside_project(mut self, program: impl Into<String>) { self.inside_project.push(program.into()) }

        /// Sets the sentence that the agent gets.
        fn reason(mut self, reason: impl Into<String>) { self.reason = Some(reason.into()) }
    }

    fn check(
        &self,
        call: &AgentToolCall,
        _cx: &PluginContext,
    ) -> Result<Verdict<Infallible>, HookError> {
        if call.kind != AgentToolKind::Shell {
            return Ok(Verdict::Allow);
        }
        let deny = |own: String| {
            let violation = refusal(&self.reason, || own, "command_refused");
            Ok(Verdict::Deny(violation))
        };
        let shown = |command: &ShellCommand| command.text.chars().take(80).collect::<String>();
        let is_refused = |command: &&ShellCommand| self.commands.matches(&command.text);
        if let Some(command) = call.commands.iter().find(is_refused) {
            let shown = shown(command);
            return deny(format!("the command `{shown}` is not run by the agent"));
        }
        let runs =
            |command: &ShellCommand, program: &String| command.words.first() == Some(program);
        let is_inside = |command: &&ShellCommand| {
            let mut programs = self.inside_project.iter();
            programs.any(|program| runs(command, program))
        };
        let mut possible = call.possible.iter();
        if let Some(command) = possible.find(|it| is_refused(it) || is_inside(it)) {
            let shown = shown(command);
            return Err(HookError::new(format!(
                "a program may run its argument `{shown}` as a command: use a program that runs none, or ask a person"
            )));
        }
        for word in &call.unresolved {
            let may_match = |command: &&ShellCommand| {
                let at = command.text.find(word.as_str());
                at.is_some_and(|at| {
                    let mut globs = self.commands.iter();
                    globs.any(|glob| may_match(glob, &command.text[..at]))
                })
            };
            if let Some(command) = call.commands.iter().find(may_match) {
                let shown = shown(command);
                return Err(HookError::new(format!(
                    "the word `{word}` of `{shown}` is known only when the shell runs: write it out"
                )));
            }
        }
        let is_run = |program: &&String| call.commands.iter().any(|it| runs(it, program));
        let Some(program) = self.inside_project.iter().find(is_run) else {
            return Ok(Verdict::Allow);
        };
        let real = std::fs::canonicalize(&call.project);
        let real = real.as_deref().unwrap_or(Path::new(&call.project));
        let is_outside = |path: &&String| {
            let path = Path::new(path.as_str());
            !path.starts_with(&call.project) && !path.starts_with(real)
        };
        if let Some(path) = call.paths.iter().find(is_outside) {
            return deny(format!(
                "`{program}` is not used outside of the project: `{path}`"
            ));
        }
        match call.unresolved.first() {
            Some(word) => Err(HookError::new(format!(
                "the word `{word}` of a command with `{program}` is known only when the shell runs: write it out"
            ))),
            None => Ok(Verdict::Allow),
        }
    }
}

/// Returns whether a command with this beginning may match a glob, by the glob's own beginning.
fn may_match(glob: &str, beginning: &str) -> bool {
    let head = glob.split(['*', '?', '[']).next().unwrap_or_default();
    head.starts_with(beginning) || beginning.starts_with(head)
}

ready!(RefuseCommands = "refuse_commands", "Creates a plugin that refuses nothing." { agent_tool_pre_invoke => RefuseCommands::check, again; });
