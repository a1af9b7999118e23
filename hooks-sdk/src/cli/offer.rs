//! The offer of a server's hooks to a person who has only the server: one sentence.

use std::env;

use super::Program;
use crate::{
    clients::{self, INSTALLED_VARIABLE, config::quoted},
    server::{Hooked, ServerHandler},
};

impl<H: ServerHandler> Program<H> {
    /// Lets `serve` on standard input and output offer the hooks while no client has them installed.
    ///
    /// The offer is one sentence with the command `hooks install`, at the end of the instructions, or of the first result if a
    /// client asks for no instructions. It ends with the first recorded installation. Without this call, nothing is offered.
    pub fn offer_hooks(mut self) -> Program<H> {
        self.offers_hooks = true;
        self
    }

    /// Adds the offer, if the author wants it and no client has the hooks.
    pub(super) fn offered(&self, hooked: Hooked<H>) -> Hooked<H> {
        match self.offer() {
            Some(command) => hooked.offering(move |name| sentence(&command, name)),
            None => hooked,
        }
    }

    /// Returns the program's command line to offer; `None` if the author does not want it or a client has the hooks.
    fn offer(&self) -> Option<String> {
        if !self.offers_hooks || env::var_os(INSTALLED_VARIABLE).is_some_and(|it| !it.is_empty()) {
            return None;
        }
        if crate::clients::trial::Inside::here().is_some() {
            return None;
        }
        match self.installations() {
            // The installation of a record that cannot be read may have the hooks.
            Ok(records) if records.installed.is_empty() && records.unreadable.is_empty() => {}
            Ok(_) => return None,
            Err(error) => {
                tracing::warn!(%error, "cannot read which clients have hooks installed");
                return None;
            }
        }
        let own = self.started().ok()?.own;
        Some(quoted(own.to_str()?))
    }
}

/// Makes the offer for the name that a client gives itself.
fn sentence(program: &str, name: Option<&str>) -> String {
    let known = name.and_then(|name| {
        let mut all = clients::ALL.into_iter();
        all.find(|client| name.starts_with(client.handshake))
    });
    let client = known.map_or("all", |client| client.name);
    format!(
        "This server also has hooks, which no client of this user has installed: if the user wants them, the command \
         `{program} hooks install --client {client}` installs them."
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};

    use super::*;
    use crate::{
        cli::{
            program::{SessionPlace, runtime},
            tests::{Notes, one_hook},
        },
        server::WireTransport,
    };

    const PIPE: usize = 256 * 1024;

    /// Returns all that a server writes to a client that shakes hands, lists and calls.
    fn written(program: &Program<Notes>, as_served: bool) -> String {
        let requests = [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "claude-code", "version": "1" },
            } }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
            json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "x" } }),
            json!({ "jsonrpc": "2.0", "id": 4, "method": "prompts/list" }),
        ];
        let lines: String = requests.iter().map(|line| format!("{line}\n")).collect();
        runtime().unwrap().block_on(async {
            let hooked = program.hooked(|guidance| guidance, SessionPlace::Nowhere);
            let mut hooked = hooked.await.unwrap();
            if as_served {
                hooked = program.offered(hooked);
            }
            let (ours, theirs) = duplex(PIPE);
            let (read, write) = split(theirs);
            let serving = tokio::spawn(async move {
                let running = hooked.serve(WireTransport::new(read, write)).await;
                running.unwrap().waiting().await.unwrap();
            });
            let (mut output, mut input) = split(ours);
            input.write_all(lines.as_bytes()).await.unwrap();
            input.shutdown().await.unwrap();
            serving.await.unwrap();
            let mut text = String::new();
            drop(input);
            output.read_to_string(&mut text).await.unwrap();
            text
        })
    }

    #[test]
    fn without_the_offer_a_server_writes_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let program = Program::new("notes", || Ok(Notes))
            .collected(one_hook)
            .data(folder.path());
        let plain = written(&program, false);
        assert_eq!(plain.lines().count(), 4, "{plain}");
        assert_eq!(written(&program, true), plain);
        let program = program.offer_hooks();
        let offered = written(&program, true);
        assert_ne!(offered, plain);
        // The sentence is all that differs.
        let instructions = |text: &str| -> Value {
            let first = text.lines().next().unwrap();
            let first: Value = serde_json::from_str(first).unwrap();
            first["result"]["instructions"].clone()
        };
        let (before, after) = (instructions(&plain), instructions(&offered));
        let text = |value: &Value| serde_json::to_string(value).unwrap();
        assert_eq!(offered.replace(&text(&after), &text(&before)), plain);
        let added = after
            .as_str()
            .unwrap()
            .strip_prefix(before.as_str().unwrap());
        let added = added.unwrap().strip_prefix("\n\n").unwrap();
        assert!(added.ends_with("hooks install --client claude-code` installs them."));
        assert_eq!(added.matches(". ").count(), 0, "one sentence: {added}");
    }

    #[test]
    fn a_recorded_client_or_a_record_that_cannot_be_read_ends_the_offer() {
        let folder = tempfile::tempdir().unwrap();
        let program = Program::new("notes", || Ok(Notes))
            .collected(one_hook)
            .data(folder.path())
            .offer_hooks();
        assert!(program.offer().is_some());
        let installs = folder.path().join("installs");
        std::fs::create_dir(&installs).unwrap();
        assert!(program.offer().is_some());
        std::fs::write(installs.join("codex-user.json"), "{").unwrap();
        assert_eq!(program.offer(), None);
    }
}
