//! The command line.

use std::{
    error::Error,
    fs::File,
    io::{self, Read, Write},
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Parser;
use hooks_sdk::http::GuardianServer;

use crate::{
    audit::Audit,
    live::Live,
    page::{self, Feed},
    ruleset::Ruleset,
    server::{Watching, guardian},
};

/// The largest file of tokens, in bytes.
const LARGEST_FILE: u64 = 64 * 1024;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// A guardian for agents: answers each step by the rules of a policy file.
#[derive(Debug, Parser)]
#[command(name = "guardian", version)]
pub struct Args {
    /// The address to listen on, such as `127.0.0.1:8787`
    #[arg(long, value_name = "ADDRESS", required_unless_present = "check")]
    listen: Option<SocketAddr>,
    /// The rules, a file in YAML. It is read again when it changes. Without it, every step is allowed
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Add one line of JSON to this file for each decision
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Show each step as it comes on a page at `/`, to browsers on this computer, and with `--bearer-file` to browsers that
    /// send a token as their password
    #[arg(long)]
    page: bool,
    /// Tell the audit log and the page what the steps are about: arguments, results, messages
    #[arg(long)]
    contents: bool,
    /// Refuse requests without one of the bearer tokens in this file, one a line
    #[arg(long, value_name = "FILE")]
    bearer_file: Option<PathBuf>,
    /// A name under which the guardian may be reached, such as `guardian.example.com`; may be repeated; default: this
    /// computer
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// The path of the guardian
    #[arg(long, value_name = "PATH", default_value = "/aos")]
    path: String,
    /// Check the policy, and do not serve
    #[arg(long, requires = "policy")]
    check: bool,
}

impl Args {
    /// Serves until the process receives SIGTERM or Ctrl-C.
    ///
    /// # Errors
    ///
    /// A file cannot be read or has mistakes, or the address is not free.
    pub async fn run(self) -> Outcome {
        if let (true, Some(file)) = (self.check, &self.policy) {
            let policy = Ruleset::load(file)?;
            writeln!(io::stdout(), "{}: {} rules", file.display(), policy.count())?;
            return Ok(());
        }
        let Some(address) = self.listen else {
            return Err("an address is missing: add `--listen 127.0.0.1:8787`".into());
        };
        if self.page && !self.allow_host.is_empty() && self.bearer_file.is_none() {
            return Err(
                "under another name than this computer's, everybody could read the page: add `--bearer-file`, or leave \
                 out `--page`"
                    .into(),
            );
        }
        let live = Live::open(self.policy)?;
        let mut watching = Watching {
            contents: self.contents,
            ..Watching::default()
        };
        if let Some(file) = &self.audit {
            let unopened = |error| format!("`{}` cannot be opened: {error}", file.display());
            watching.audit = Some(Audit::open(file).map_err(unopened)?);
        }
        let feed = self.page.then(|| Arc::new(Feed::new()));
        watching.feed.clone_from(&feed);
        let mut server = GuardianServer::new(guardian(&live, watching)?).path(self.path);
        if !self.allow_host.is_empty() {
            server = server.hosts(&self.allow_host);
        }
        if let Some(file) = &self.bearer_file {
            for token in tokens(file)? {
                server = server.bearer(token);
            }
        }
        if let Some(feed) = feed {
            server = server.beside(page::routes(feed, live.clone(), self.bearer_file.is_some()));
        }
        let following = tokio::spawn(live.follow());
        let tell = |url: &str| {
            _ = writeln!(io::stderr(), "listening on {url}");
            if self.page {
                let place = url.split('/').nth(2).unwrap_or_default();
                let how = match self.bearer_file {
                    Some(_) => {
                        "; a browser asks for a name, which may be any, and for a password, which is a token"
                    }
                    None => "",
                };
                _ = writeln!(io::stderr(), "the page is http://{place}/{how}");
            }
        };
        let served = server.serve_and_tell(address, tell).await;
        following.abort();
        Ok(served?)
    }
}

/// Reads the tokens, one a line.
fn tokens(path: &Path) -> Outcome<Vec<String>> {
    let name = path.display();
    let mut text = String::new();
    let file = File::open(path).map_err(|error| format!("`{name}` cannot be opened: {error}"))?;
    let read = file.take(LARGEST_FILE + 1).read_to_string(&mut text);
    let length = read.map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    if length as u64 > LARGEST_FILE {
        return Err(format!("`{name}` is larger than {LARGEST_FILE} bytes").into());
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let tokens: Vec<String> = lines.map(str::to_owned).collect();
    if tokens.is_empty() {
        return Err(format!(
            "`{name}` has no token: write one a line, such as the output of `openssl rand -hex 32`"
        )
        .into());
    }
    Ok(tokens)
}
