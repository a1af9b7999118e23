//! `hooks log`: verifies the decision log, and shows it to people.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::Duration,
};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{CommandError, options::OutputFormat, print};
use crate::log::{LogKeys, LogLine, LogSummary, LogVerifier, Verified, files_of};

/// How often a followed file is read.
const PAUSE: Duration = Duration::from_millis(250);

/// The arguments of `hooks log`.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Log {
    /// Check the chains of a decision log, and name the first line that somebody changed
    ///
    /// Reads the older files of the same log first. Exit code: 0 if no change was found, 1 if one was found or an expected
    /// hash is missing, 2 if a file cannot be read.
    Verify(Verify),
    /// Show the lines of a decision log, or count them by decision and rule
    Show(Show),
    /// Print a new key for a key file
    NewKey(NewKey),
}

#[derive(Args, Clone, Debug)]
pub(super) struct Verify {
    /// The files of the log
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file with the keys [default: the keys in $HOOKS_LOG_KEYS]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// A hash that a chain must have, because somebody kept it elsewhere; may be repeated
    #[arg(long, value_name = "HASH", value_parser = hash)]
    expect: Vec<String>,
    #[command(flatten)]
    format: OutputFormat,
}

#[derive(Args, Clone, Debug)]
pub(super) struct Show {
    /// The files of the log
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Count the decisions of each rule, and show no lines
    #[arg(long, conflicts_with = "follow")]
    summary: bool,
    /// Wait for further lines of the last file
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    format: OutputFormat,
}

#[derive(Args, Clone, Debug)]
pub(super) struct NewKey {
    /// The id of the key, such as the month
    #[arg(value_name = "ID")]
    id: String,
}

/// Reads the hash of a line.
fn hash(text: &str) -> Result<String, String> {
    match text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(
            "a hash is 64 hexadecimal digits, as `head` in the output of `hooks log verify`".into(),
        ),
    }
}

impl Log {
    pub(super) fn run(self) -> ExitCode {
        match self {
            Log::Verify(verify) => verify.run(),
            Log::Show(show) => print::outcome(show.run()),
            Log::NewKey(key) => print::outcome(key.run()),
        }
    }
}

/// Returns the files of each log, oldest first.
fn all(files: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut all: Vec<PathBuf> = Vec::new();
    for file in files {
        let of = files_of(file).map_err(|error| unread(file, &error))?;
        if !of.contains(file) {
            return Err(format!("there is no file `{}`", file.display()).into());
        }
        all.extend(
            of.into_iter()
                .filter(|each| !files.contains(each) || each == file),
        );
    }
    Ok(all)
}

fn unread(file: &Path, error: &std::io::Error) -> CommandError {
    format!("cannot read `{}`: {error}", file.display()).into()
}

impl Verify {
    fn run(self) -> ExitCode {
        let verified = match self.verified() {
            Ok(verified) => verified,
            Err(error) => {
                print::outcome(Err(error));
                return ExitCode::from(2);
            }
        };
        let printed = match self.format.json {
            true => print::json(&as_json(&verified)),
            false => print::text(&page(&verified)),
        };
        match (printed, verified.is_whole()) {
            (Ok(()), true) => ExitCode::SUCCESS,
            (Ok(()), false) => ExitCode::FAILURE,
            (printed, _) => print::outcome(printed),
        }
    }

    fn verified(&self) -> Result<Verified, CommandError> {
        let keys = match &self.key_file {
            Some(file) => LogKeys::read(file)?,
            None => LogKeys::from_environment()?,
        };
        let mut verifier = LogVerifier::new(self.expect.clone()).keys(keys);
        for file in all(&self.files)? {
            let read = File::open(&file).map_err(|error| unread(&file, &error))?;
            for line in BufReader::new(read).split(b'\n') {
                verifier.line(&line.map_err(|error| unread(&file, &error))?);
            }
        }
        Ok(verifier.end())
    }
}

fn page(verified: &Verified) -> String {
    let mut page = Vec::new();
    match verified.faults.first() {
        Some(first) => {
            let faults = verified.faults.len() as u64 + verified.more_faults;
            page.push(format!("changed: {first}"));
            if faults > 1 {
                page.push(format!("and {} further places", faults - 1));
            }
        }
        None if verified.is_whole() => {
            page.push(format!("no change found in {} lines", verified.lines));
        }
        None => {}
    }
    let missing = verified.missing.iter();
    page.extend(missing.map(|hash| {
        format!("missing: no chain has the line {hash}; a chain or its end was removed")
    }));
    for chain in &verified.chains {
        let (first, last) = chain.lines;
        page.push(format!(
            "chain {}: lines {first} to {last}, head {}{}{}",
            chain.chain,
            chain.head,
            if chain.ended { ", closed" } else { "" },
            match chain.dropped {
                0 => String::new(),
                dropped => format!(", {dropped} lines dropped by its program"),
            }
        ));
    }
    let unknown = verified.unknown.iter();
    page.extend(unknown.map(|unknown| format!("not known: {unknown}")));
    page.join("\n")
}

fn as_json(verified: &Verified) -> Value {
    let faults = verified.faults.iter();
    let faults =
        faults.map(|fault| json!({"line": fault.line, "chain": fault.chain, "wrong": fault.wrong}));
    let chains = verified.chains.iter().map(|chain| {
        json!({
            "chain": chain.chain,
            "first": chain.lines.0,
            "last": chain.lines.1,
            "head": chain.head,
            "closed": chain.ended,
            "unsigned": chain.unsigned,
            "dropped": chain.dropped,
        })
    });
    json!({
        "whole": verified.is_whole(),
        "lines": verified.lines,
        "faults": faults.collect::<Vec<_>>(),
        "more_faults": verified.more_faults,
        "missing": verified.missing,
        "chains": chains.collect::<Vec<_>>(),
        "unknown": verified.unknown,
    })
}

impl Show {
    fn run(self) -> Result<(), CommandError> {
        let mut summary = LogSummary::default();
        let files = all(&self.files)?;
        for (at, file) in files.iter().enumerate() {
            let is_last = at + 1 == files.len();
            self.read(file, self.follow && is_last, &mut summary)?;
        }
        if !self.summary {
            return Ok(());
        }
        let rows = summary.rows();
        if self.format.json {
            return print::json(&rows);
        }
        let mut page = vec![format!(
            "{:>8}  {:<9} {:<10} {:<24} {}",
            "count", "decision", "by", "rule", "code"
        )];
        page.extend(rows.iter().map(|row| {
            format!(
                "{:>8}  {:<9} {:<10} {:<24} {}",
                row.count, row.decision, row.middleware, row.rule, row.code
            )
        }));
        print::text(&page.join("\n"))
    }

    /// Reads a file. With `follow`, waits for further lines, also in the file that takes its place.
    fn read(
        &self,
        file: &Path,
        follow: bool,
        summary: &mut LogSummary,
    ) -> Result<(), CommandError> {
        let open = || {
            let opened = File::open(file).map_err(|error| unread(file, &error))?;
            Ok::<_, CommandError>(BufReader::new(opened))
        };
        let mut read = open()?;
        let mut line = Vec::new();
        loop {
            let count = read
                .read_until(b'\n', &mut line)
                .map_err(|error| unread(file, &error))?;
            if line.last() == Some(&b'\n') {
                self.line(&String::from_utf8_lossy(&line), summary)?;
                line.clear();
                continue;
            }
            if !follow {
                return match line.is_empty() {
                    true => Ok(()),
                    false => self.line(&String::from_utf8_lossy(&line), summary),
                };
            }
            if count == 0 {
                thread::sleep(PAUSE);
                if is_replaced(read.get_ref(), file) {
                    read = open()?;
                    line.clear();
                }
            }
        }
    }

    fn line(&self, text: &str, summary: &mut LogSummary) -> Result<(), CommandError> {
        let text = text.trim_end();
        let Some(read) = LogLine::read(text).filter(LogLine::is_about_calls) else {
            return Ok(());
        };
        if self.summary {
            summary.add(&read);
            return Ok(());
        }
        match self.format.json {
            true => print::text(text),
            false => print::text(&read.to_string()),
        }
    }
}

/// Returns whether the name of an open file names another file now.
fn is_replaced(open: &File, file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;

        let (Ok(open), Ok(named)) = (open.metadata(), file.metadata()) else {
            return false;
        };
        (open.dev(), open.ino()) != (named.dev(), named.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = (open, file);
        false
    }
}

impl NewKey {
    fn run(self) -> Result<(), CommandError> {
        let key = LogKeys::generate(&self.id)?;
        LogKeys::parse(&key)?;
        print::text(&key)
    }
}
