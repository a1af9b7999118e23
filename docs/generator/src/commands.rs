//! The commands and their options, as clap has them.

use std::fmt::Write;

use clap::{Args, Command, Subcommand};
use hooks_sdk::cli::{Hooks, ServeGuarded, ServeHttp};

pub(crate) fn page() -> String {
    let serve = Command::new("serve")
        .about("Serve one MCP client over standard input and output, or many over HTTP");
    let serve = ServeGuarded::augment_args(ServeHttp::augment_args(serve));
    let mut text = String::from(
        "# Commands and options\n\nThe commands of a server's program, with the features `cli`, `http`, `observed` and `prove`. \
         `SERVER` is the program.\n",
    );
    command(&mut text, "SERVER", &serve);
    let hooks = Hooks::augment_subcommands(Command::new("hooks"));
    for each in hooks.get_subcommands() {
        command(&mut text, "SERVER hooks", each);
    }
    text
}

fn command(text: &mut String, above: &str, command_: &Command) {
    let name = format!("{above} {}", command_.get_name());
    let about = command_.get_long_about().or(command_.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    // Writing to a `String` cannot fail.
    _ = write!(text, "\n## `{name}`\n\n{}\n", prose(&about));
    let mut rows = String::new();
    for argument in command_
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
    {
        let values: Vec<&str> = argument
            .get_value_names()
            .unwrap_or_default()
            .iter()
            .map(|name| name.as_str())
            .collect();
        let takes = argument.get_action().takes_values();
        let values = if takes {
            values.join(" ")
        } else {
            String::new()
        };
        let shown = match argument.get_long() {
            Some(long) => format!("--{long} {values}"),
            None => values,
        };
        let help = argument.get_long_help().or(argument.get_help());
        let mut help = help
            .map(ToString::to_string)
            .unwrap_or_default()
            .replace("\n\n", " ")
            .replace('\n', " ");
        let possible: Vec<String> = match takes {
            true => argument
                .get_possible_values()
                .iter()
                .map(|value| format!("`{}`", value.get_name()))
                .collect(),
            false => Vec::new(),
        };
        if !possible.is_empty() {
            help = format!("{help}: {}", possible.join(", "));
        }
        let defaults: Vec<String> = argument
            .get_default_values()
            .iter()
            .map(|value| format!("`{}`", value.to_string_lossy()))
            .collect();
        if takes && !defaults.is_empty() {
            help = format!("{help} (default {})", defaults.join(", "));
        }
        if argument.is_required_set() {
            help = format!("{help} (required)");
        }
        _ = writeln!(
            rows,
            "| `{}` | {} |",
            shown.trim(),
            help.replace('|', "\\|")
        );
    }
    if !rows.is_empty() {
        _ = write!(text, "\n| argument | effect |\n|---|---|\n{rows}");
    }
    for below in command_
        .get_subcommands()
        .filter(|below| below.get_name() != "help")
    {
        command(text, &name, below);
    }
}

/// Words in angle brackets would be HTML.
fn prose(text: &str) -> String {
    text.replace('<', "\\<").replace("\n\n\n", "\n\n")
}
