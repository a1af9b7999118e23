//! The server's program: where it is, and what it says of itself.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hooks_clients::{
    self as clients, Client,
    dump::{Dump, TABLE_VERSION, VERSION},
};
use hooks_core::lifecycle::Event;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::CommandError;

/// The most bytes of what a program says of itself: skills and an icon are in it.
const LONGEST: u64 = 256 << 20;

/// The server's program: one that exists, or the one that cargo builds.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "The server's program")]
pub(super) struct Server {
    /// The server's program [default: the one that cargo builds of the package in this folder]
    #[arg(long, value_name = "PATH", conflicts_with_all = ["package", "bin", "features", "release"])]
    server: Option<PathBuf>,
    /// The package that cargo builds
    #[arg(long, short, value_name = "SPEC")]
    package: Option<String>,
    /// The program that cargo builds, if the package has several
    #[arg(long, value_name = "NAME")]
    bin: Option<String>,
    /// The features with which cargo builds it
    #[arg(long, value_name = "LIST")]
    features: Option<String>,
    /// Build it with optimizations
    #[arg(long)]
    release: bool,
}

impl Server {
    /// Returns the path of the program, which cargo builds if none is named.
    pub(super) fn path(&self) -> Result<PathBuf, CommandError> {
        match &self.server {
            Some(program) => fs::canonicalize(program)
                .map_err(|error| format!("`{}`: {error}", program.display()).into()),
            None => self.built(),
        }
    }

    fn built(&self) -> Result<PathBuf, CommandError> {
        const HELP: &str = "help: run this in the package of your server, or name its program with `--server PATH`";
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args([
            "build",
            "--quiet",
            "--message-format=json-render-diagnostics",
        ]);
        for (option, value) in [
            ("--package", &self.package),
            ("--bin", &self.bin),
            ("--features", &self.features),
        ] {
            if let Some(value) = value {
                cargo.args([option, value]);
            }
        }
        cargo.args(self.release.then_some("--release"));
        let child = cargo.stdout(Stdio::piped()).spawn();
        let mut child =
            child.map_err(|error| format!("cargo cannot be started: {error}\n{HELP}"))?;
        let said = child.stdout.take().ok_or("cargo has no standard output")?;
        let mut programs = Vec::new();
        for line in BufReader::new(said).lines() {
            let message: Value = serde_json::from_str(&line?).unwrap_or_default();
            let is_program = message["target"]["kind"][0] == "bin";
            if let Some(path) = message["executable"].as_str().filter(|_| is_program) {
                programs.push(PathBuf::from(path));
            }
        }
        if !child.wait()?.success() {
            return Err(format!("cargo did not build the server's program\n{HELP}").into());
        }
        match &programs[..] {
            [program] => Ok(program.clone()),
            [] => Err(format!("cargo built no program here\n{HELP}").into()),
            several => {
                let names = several.iter().filter_map(|path| path.file_stem()?.to_str());
                let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                let names = super::print::listed(&names, "and");
                Err(format!(
                    "cargo built several programs: {names}\nhelp: name the server's with `--bin NAME`"
                )
                .into())
            }
        }
    }

    /// Returns what the program says of itself, if its server can be served.
    pub(super) fn dump(&self, program: &Path) -> Result<Dump, CommandError> {
        let dump: Dump = asked(program, &["hooks", "dump", "--json"], b"")?;
        if dump.version != VERSION {
            return Err(format!(
                "the program describes itself in version {} of the format, and this tool reads version {VERSION}\nhelp: install \
                 the version of cargo-hooks that belongs to the server's hooks-sdk",
                dump.version
            )
            .into());
        }
        if dump.problems.is_empty() {
            return Ok(dump);
        }
        let problems: Vec<String> = dump.problems.iter().map(ToString::to_string).collect();
        Err(problems.join("\nerror: ").into())
    }
}

/// Runs a command of the program with this input, and reads the JSON that it prints.
pub(super) fn asked<T: DeserializeOwned>(
    program: &Path,
    words: &[&str],
    input: &[u8],
) -> Result<T, CommandError> {
    let failed = |why: String| {
        format!(
            "`{} {}` {why}\nhelp: name a program that hooks-sdk's `cli::Program` makes, of version 0.1 or later",
            program.display(),
            words.join(" ")
        )
    };
    let mut child = Command::new(program);
    let child = child
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = child
        .spawn()
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    let (stdin, mut said) = (child.stdin.take(), Vec::new());
    thread::scope(|scope| {
        // It may write before it has read everything, or read nothing.
        scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(input)));
        let stdout = child.stdout.take();
        stdout.map(|stdout| stdout.take(LONGEST).read_to_end(&mut said))
    })
    .transpose()?;
    let ended = child.wait()?;
    if !ended.success() {
        return Err(failed(format!("ended with {ended}")).into());
    }
    let said = serde_json::from_slice(&said);
    Ok(said.map_err(|error| failed(format!("said something else: {error}")))?)
}

/// Reads a client's name.
pub(super) fn client_parser() -> impl TypedValueParser<Value = &'static Client> {
    let named = |client: &Client| PossibleValue::new(client.name).help(client.title);
    let names = PossibleValuesParser::new(clients::ALL.into_iter().map(named));
    names.try_map(|name| clients::by_name(&name).ok_or("there is no such client"))
}

/// Returns the events at which a hook of the server can fire in a client.
pub(super) fn events<'d>(program: &'d Dump, client: &Client) -> Result<&'d [Event], CommandError> {
    let of = program.of(client).ok_or_else(|| {
        let (title, table) = (client.title, &program.table);
        format!(
            "the server does not know {title}: its table of clients has the version {table}\nhelp: build it with hooks-clients \
             {TABLE_VERSION}"
        )
    })?;
    Ok(&of.events)
}

/// Says that the server has another table of clients.
pub(super) fn note(program: &Dump) -> Option<String> {
    let table = &program.table;
    (table != TABLE_VERSION).then(|| {
        format!(
            "the server has version {table} of the table of clients, and this tool has {TABLE_VERSION}"
        )
    })
}
