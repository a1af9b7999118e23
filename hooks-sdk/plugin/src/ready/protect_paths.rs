//! `protect_paths`: keeps an agent's own tools away from files and folders.

use std::{convert::Infallible, path::Path};

use serde::Deserialize;

use super::{
    super::{AgentToolCall, AgentToolKind, PluginContext},
    globs::Globs,
    refusal,
};
use hooks_core::{HookError, Verdict, glob, internal::setters};

/// Refuses the calls of an agent's own tools that name a protected path.
///
/// ```yaml
/// - name: no_side_door
///   kind: protect_paths
///   posture: deny
///   config: { paths: ["data/memory.db", ".github", "**.pem"], allow_reads: true }
/// ```
///
/// A path without wildcards is a file or a folder with everything below it; one that does not begin with `/` or `~/` is in
/// the project's folder. A path with wildcards is compared with whole paths: `*` is any run of characters, `/` too.
///
/// With `allow_reads: true`, tools of the kind `read` may read the paths. A shell command may not, because its words do not say
/// whether it reads or writes. A word that only the shell knows, such as `$(date)`, may be a path: with the posture `deny`
/// the plugin fails at such a command, unless it is `echo`, `printf` or `test`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProtectPaths {
    paths: Globs,
    allow_reads: bool,
    reason: Option<String>,
}

impl ProtectPaths {
    adds_glob! {
        /// Protects a file, a folder, or the paths that match a glob.
        path to paths
    }

    setters! {
        /// Lets tools of the kind `read` read the paths.
        fn allow_reads(mut self) { self.allow_reads = true }

        /// Sets the sentence that the agent gets.
        fn reason(mut self, reason: impl Into<String>) { self.reason = Some(reason.into()) }
    }

    fn check(
        &self,
        call: &AgentToolCall,
        _cx: &PluginContext,
    ) -> Result<Verdict<Infallible>, HookError> {
        if self.allow_reads && call.kind == AgentToolKind::Read {
            return Ok(Verdict::Allow);
        }
        let takes_folders = call.commands.iter().any(|it| takes_folders(&it.text));
        let is_protected = |path: &&String| self.protects(path, &call.project, takes_folders);
        let protected = call.paths.iter().find(is_protected);
        if let Some(path) = protected {
            let own = || format!("`{path}` is protected from the agent's own tools");
            let violation = refusal(&self.reason, own, "path_protected");
            return Ok(Verdict::Deny(violation));
        }
        match call.unresolved.first() {
            Some(word) => Err(HookError::new(format!(
                "the word `{word}` may name a protected path: write it out"
            ))),
            None => Ok(Verdict::Allow),
        }
    }

    fn protects(&self, path: &str, project: &str, takes_folders: bool) -> bool {
        let home = std::env::home_dir();
        self.paths.iter().any(|own| {
            let own = match (own.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ if own.starts_with("**") => own.into(),
                _ => Path::new(project).join(own),
            };
            let own = own.to_string_lossy();
            if glob::is_name(&own) {
                let path = Path::new(path);
                // A link to the protected path is resolved in `paths`, so its own target is compared too.
                let real = std::fs::canonicalize(&*own);
                let real = real.as_deref().unwrap_or(Path::new(&*own));
                // A folder above the protected path: only a program that takes whole folders reaches it.
                let is_above =
                    takes_folders && (Path::new(&*own).starts_with(path) || real.starts_with(path));
                return is_above || path.starts_with(&*own) || path.starts_with(real);
            }
            glob::matches(&own, path)
        })
    }
}

/// Returns whether a command removes, moves or rewrites folders with everything below them.
fn takes_folders(command: &str) -> bool {
    const PROGRAMS: [&str; 14] = [
        "rm", "mv", "rmdir", "shred", "chmod", "chown", "chgrp", "chattr", "setfacl", "rsync",
        "truncate", "unzip", "7z", "mount",
    ];
    const GIT: [&str; 5] = ["checkout", "restore", "clean", "rm", "mv"];
    let mut words = command.split(' ');
    let program = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let is_option = |word: &str| word.starts_with('-') && !word.starts_with("--");
    match program {
        "find" => command.contains(" -delete"),
        "git" => GIT.contains(&second),
        "tar" | "bsdtar" => {
            let extracts =
                |word: &str| is_option(word) && word.contains('x') || word == "--extract";
            (!second.starts_with('-') && second.contains('x')) || command.split(' ').any(extracts)
        }
        _ => PROGRAMS.contains(&program),
    }
}

ready!(ProtectPaths = "protect_paths", "Creates a plugin that protects nothing." { agent_tool_pre_invoke => ProtectPaths::check, again; });
