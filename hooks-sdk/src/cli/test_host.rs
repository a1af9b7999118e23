//! A program in a test of its author, and the check of its name.

use super::{CommandError, Program, program::SessionPlace};
use crate::{server::ServerHandler, testing::TestHost};
use hooks_server::internal::AnyAuthor;

impl Program<AnyAuthor> {
    async fn any_test_host(&self) -> Result<TestHost, CommandError> {
        let collected = self.settled(|guidance| guidance, SessionPlace::Nowhere)?;
        let hooked = collected.in_memory().wrap(self.server().await?)?;
        Ok(TestHost::connect(hooked).await?)
    }
}

impl<H: ServerHandler> Program<H> {
    /// Connects a host to the server, with the settings of the program: the same hooks, session machine, policy and guardian.
    ///
    /// This is for tests of the author, so that no setting is written twice. Sessions and questions are in memory, and
    /// nothing is written into the decision log.
    ///
    /// # Errors
    ///
    /// The server cannot be made, does not fit its hooks, or refuses the handshake.
    ///
    /// ```no_run,standalone_crate
    /// # use hooks_sdk::{cli::Program, rmcp::ServerHandler};
    /// # struct Notes;
    /// # impl ServerHandler for Notes {}
    /// // `main` and the tests call this function.
    /// fn program() -> Program<Notes> {
    ///     Program::new("notes", || Ok(Notes))
    /// }
    ///
    /// # async fn run() -> Result<(), hooks_sdk::cli::CommandError> {
    /// let host = program().test_host().await?;
    /// let answer = host.call_tool("write_note", serde_json::json!({ "text": "x" })).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn test_host(&self) -> Result<TestHost, CommandError> {
        self.without_type().any_test_host().await
    }

    /// Checks that clients can make names of tools from the server's name.
    pub(super) fn check_name(&self) -> Result<(), CommandError> {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        let is_word = |text: &str| !text.is_empty() && text.chars().all(is_part);
        if !is_word(&self.id) && self.id != self.name {
            let id = &self.id;
            return Err(format!(
                "`{id}` cannot be the id of a server: each entry in a client's file has it as one word\n\
                 help: write letters, digits, `-` and `_`, as in `Program::id(\"notes-server\")`"
            )
            .into());
        }
        if is_word(&self.name) {
            return Ok(());
        }
        let name = &self.name;
        let mended: String = name
            .chars()
            .map(|letter| if is_part(letter) { letter } else { '-' })
            .collect();
        let mended = if mended.is_empty() {
            "notes".to_owned()
        } else {
            mended
        };
        Err(format!(
            "`{name}` cannot be the name of a server: clients make names of tools from it\n\
             help: write one word of letters, digits, `-` and `_`, as in `Program::new(\"{mended}\", …)`"
        )
        .into())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{cli::desk::HangingDesk, core::Registry, server::Collected};

    #[tokio::test]
    async fn a_test_has_the_deadline_of_the_program() {
        let program = Program::new("desk", || Ok(HangingDesk))
            .collected(|| Collected::of(Registry::default()))
            .call_deadline(Duration::from_millis(100));
        let host = program.test_host().await.unwrap();
        let answer = host.call_tool("work", serde_json::json!({})).await.unwrap();
        let text = answer.text();
        assert!(
            answer.is_error() && text.contains("did not end within 0.1 s"),
            "{text}"
        );
    }
}
