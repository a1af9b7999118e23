//! The commands and their options, as clap has them.

use std::fmt::Write;

use clap::{Args, Command, Subcommand};
use hooks_sdk::cli::{Hooks, ServeGuarded, ServeHttp};

pub(crate) fn page() -> String {
    let (serve, hooks) = (serve(), hooks());
    let mut text = String::from(
        "# Commands and options\n\nThe commands of a server's program, with the features `cli`, `http`, `oauth`, `guardian-client` and `policy`, and those of the \
         author's tool. `SERVER` is the program.\n",
    );
    command(&mut text, "SERVER", &serve);
    for each in shown(&hooks) {
        command(&mut text, "SERVER hooks", each);
    }
    for each in shown(&cargo_hooks::command()) {
        command(&mut text, "cargo hooks", each);
    }
    text
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    let all = command.get_subcommands();
    all.filter(|each| !each.is_hide_set())
}

fn serve() -> Command {
    let serve = ServeGuarded::augment_args(ServeHttp::augment_args(Command::new("serve")));
    // The options bring the documentation of their types along.
    serve
        .about("Serve one MCP client over standard input and output, or many over HTTP")
        .long_about(None::<&'static str>)
}

fn hooks() -> Command {
    Hooks::augment_subcommands(Command::new("hooks"))
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

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, error::Error, fs};

    use clap::{Command, error::ErrorKind};

    use super::{hooks, serve};
    use crate::{files, root};

    /// The programs that the book's commands start.
    const PROGRAMS: [&str; 4] = ["memory-server", "notes", "notes-server", "recipe-server"];
    /// Options of memory-server's own.
    const OWN: [&str; 4] = ["--database", "--log", "--rate-limit", "--version"];
    /// Options of other programs that the book's sentences name without their program.
    const FOREIGN: [&str; 15] = [
        "--debug",
        "--features",
        "--ignore-scripts",
        "--bare",
        "--disable",
        "--help",
        "--plugin-dir",
        "--profile",
        "--pure",
        "--release",
        "--safe-mode",
        "--setting-sources",
        "--stop-timeout",
        "--test",
        "--version",
    ];

    /// The words of a command line up to its end, a pipe, a redirection, a comment or the next command.
    fn words(line: &str) -> Vec<String> {
        let mut found = vec![String::new()];
        let mut quote = None;
        for letter in line.chars() {
            match (quote, letter) {
                (Some(end), letter) if end == letter => quote = None,
                (None, '\'' | '"') => quote = Some(letter),
                (None, '|' | '>' | '<' | '&' | ';') => break,
                (None, '#') if found.last().is_some_and(String::is_empty) => break,
                (None, ' ') => found.push(String::new()),
                (_, letter) => found.last_mut().expect("a word").push(letter),
            }
        }
        found.retain(|word| !word.is_empty());
        found
    }

    /// The commands of a page that start a server's program.
    fn commands(page: &str) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        let mut shell = false;
        let page = page.replace("\\\n", " ");
        for line in page.lines() {
            let line = line.trim_start_matches("> ").trim();
            if let Some(language) = line.strip_prefix("```") {
                shell = !shell && ["sh", "console"].contains(&language);
                continue;
            }
            let line = line
                .trim_start_matches("$ ")
                .trim_start_matches("cargo run -- ");
            let line = line.replacen("cargo hooks ", "cargo-hooks ", 1);
            let words = words(&line);
            let starts = |word: &String| {
                PROGRAMS.contains(&&**word) || ["cargo-hooks", "hooks", "serve"].contains(&&**word)
            };
            if shell && words.first().is_some_and(starts) {
                found.push(words);
            }
        }
        found
    }

    #[test]
    fn each_command_of_the_book_is_one() -> Result<(), Box<dyn Error>> {
        let program = Command::new("server")
            .subcommand(serve())
            .subcommand(hooks());
        let mut pages = files(&root().join("docs/src"), ".md")?;
        pages.push(root().join("README.md"));
        let (mut problems, mut count) = (Vec::new(), 0);
        for page in pages {
            for mut words in commands(&fs::read_to_string(&page)?) {
                let program = match words[0] == "cargo-hooks" {
                    true => cargo_hooks::command(),
                    false => program.clone(),
                };
                if !PROGRAMS.contains(&&*words[0]) && words[0] != "cargo-hooks" {
                    words.insert(0, "server".to_owned());
                }
                if words.iter().any(|word| OWN.contains(&&**word)) {
                    continue;
                }
                count += 1;
                match program.try_get_matches_from(&words) {
                    // A place such as `FILE` is no value of each option.
                    Err(error) if error.kind() != ErrorKind::ValueValidation => {
                        problems.push(format!("{}: {}\n{error}", page.display(), words.join(" ")));
                    }
                    _ => {}
                }
            }
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
        assert!(count > 30, "{count}");
        Ok(())
    }

    /// The options of a command and of those below it, also of hidden commands if `all` is true.
    fn options(command: &Command, all: bool, found: &mut BTreeSet<String>) {
        let shown = command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set());
        found.extend(
            shown
                .filter_map(|argument| argument.get_long())
                .map(|long| format!("--{long}")),
        );
        let below = command.get_subcommands();
        for below in below.filter(|below| all || !below.is_hide_set()) {
            options(below, all, found);
        }
    }

    /// The names of the commands below a command.
    fn commands_below(command: &Command, found: &mut BTreeSet<String>) {
        for below in command.get_subcommands() {
            found.insert(below.get_name().to_owned());
            commands_below(below, found);
        }
    }

    /// The options that a text names: `--` and a word.
    fn named(text: &str) -> impl Iterator<Item = &str> {
        let ends = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '-');
        let words = text.split(ends).filter(|word| word.starts_with("--"));
        words.filter(|word| word[2..].starts_with(|letter: char| letter.is_ascii_lowercase()))
    }

    /// The text in single backticks of a page, outside of its blocks, and the lines of its blocks.
    fn spans_and_lines(page: &str) -> (Vec<String>, Vec<String>) {
        let (mut spans, mut lines, mut prose) = (Vec::new(), Vec::new(), String::new());
        let mut is_block = false;
        for line in page.replace("\\\n", " ").lines() {
            match line.trim_start_matches("> ").trim() {
                line if line.starts_with("```") => is_block = !is_block,
                line if is_block => lines.push(line.to_owned()),
                line => prose += &format!("{line} "),
            }
        }
        spans.extend(prose.split('`').skip(1).step_by(2).map(str::to_owned));
        (spans, lines)
    }

    /// The command line of one of our programs in a line, from `serve` or `hooks`, or from a command below these in a span.
    fn started(line: &str, below: &BTreeSet<String>) -> Option<String> {
        let words = words(line.trim_start_matches("$ "));
        let first = words.first()?;
        if words.starts_with(&["cargo".to_owned(), "hooks".to_owned()]) {
            return Some(words.join(" "));
        }
        if ["hooks", "serve"].contains(&&**first) || below.contains(first) {
            return Some(words.join(" "));
        }
        let is_ours = |word: &String| {
            let name = word.rsplit(['/', '=']).next().unwrap_or_default();
            PROGRAMS.contains(&name)
        };
        let rest = &words[words.iter().position(is_ours)? + 1..];
        let is_ours = ["hooks", "serve"].contains(&&**rest.first()?);
        is_ours.then(|| rest.join(" "))
    }

    #[test]
    fn each_option_is_in_the_book_and_each_one_in_the_book_exists() -> Result<(), Box<dyn Error>> {
        let program = Command::new("server")
            .subcommand(serve())
            .subcommand(hooks());
        let mut ours = BTreeSet::new();
        let mut shown = BTreeSet::new();
        for command in [&program, &cargo_hooks::command()] {
            options(command, true, &mut ours);
            options(command, false, &mut shown);
        }
        let mut commands = BTreeSet::new();
        commands_below(&program, &mut commands);
        let is_known = |option: &str| {
            ours.contains(option) || OWN.contains(&option) || FOREIGN.contains(&option)
        };
        let (mut in_book, mut problems, mut foreign) =
            (BTreeSet::new(), Vec::new(), BTreeSet::<&str>::new());
        let made = crate::pages()?;
        for page in files(&root().join("docs/src"), ".md")? {
            let is_made = made.iter().any(|made| page.ends_with(made.path));
            // Its options are those of agents' commands.
            if is_made || page.ends_with("held-out.md") {
                continue;
            }
            let text = fs::read_to_string(&page)?;
            in_book.extend(named(&text).map(str::to_owned));
            let (spans, lines) = spans_and_lines(&text);
            // A span that begins with an option names no program. One of another program begins with the program.
            let spans = spans
                .into_iter()
                .filter_map(|span| match span.starts_with("--") {
                    true => Some(span),
                    false => started(&span, &commands),
                });
            let none = BTreeSet::new();
            let lines = lines.iter().filter_map(|line| started(line, &none));
            for shown in spans.chain(lines) {
                for option in named(&shown) {
                    if !is_known(option) {
                        problems.push(format!("{}: `{option}` in `{shown}`", page.display()));
                    }
                    foreign.extend(FOREIGN.iter().filter(|known| **known == option));
                }
            }
        }
        problems.extend(
            shown
                .difference(&in_book)
                .map(|option| format!("`{option}` is on no page")),
        );
        problems.extend(
            FOREIGN
                .iter()
                .filter(|option| !foreign.contains(*option))
                .map(|option| format!("`{option}` of another program is on no page")),
        );
        assert!(problems.is_empty(), "{}", problems.join("\n"));
        assert!(ours.len() > 40, "{ours:?}");
        Ok(())
    }

    #[test]
    fn a_command_ends_where_the_shell_ends_it() {
        let page =
            "```sh\nnotes hooks list --x 'a b' \\\n  --y > out # c\n```\n```text\nnotes no\n```\n";
        assert_eq!(
            commands(page),
            [["notes", "hooks", "list", "--x", "a b", "--y"]]
        );
    }
}
