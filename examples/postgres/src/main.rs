//! A server of notes for many replicas: the notes and the sessions are in PostgreSQL.

use std::{env, process::ExitCode};

use deadpool_postgres::{Manager, Pool, PoolError};
use hooks_sdk::{
    cli::{CommandError, Program},
    session::SessionState,
};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use tokio_postgres::{Config, NoTls};

/// Where a session with the notes stands.
#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing can be called before `session_init`.
    #[stage(start, allow(session_init), next(session_init => Open))]
    New,
    /// Everything can be called.
    #[stage(allow(any))]
    Open,
}

/// Has its notes in a table. A call takes a connection from the pool, so that a server that was restarted is used again.
struct Notes {
    pool: Pool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NewNote {
    text: String,
}

#[tool_router]
impl Notes {
    /// Connects, and makes the table.
    async fn connect() -> Result<Notes, CommandError> {
        let url = env::var("NOTES_DATABASE").map_err(|_| {
            "the variable NOTES_DATABASE is not set\nhelp: set it to postgres://USER:PASSWORD@HOST/NAME"
        })?;
        let config: Config = url.parse()?;
        // A database on another computer needs TLS: put a connector in the place of `NoTls`, such as that of `tokio-postgres-rustls`.
        let pool = Pool::builder(Manager::new(config, NoTls)).build()?;
        // The lock lets replicas start at once: `IF NOT EXISTS` alone looks before it makes.
        let table = "BEGIN; SELECT pg_advisory_xact_lock(7213);
                     CREATE TABLE IF NOT EXISTS note (id BIGINT GENERATED ALWAYS AS IDENTITY, text TEXT NOT NULL); COMMIT";
        pool.get().await?.batch_execute(table).await?;
        Ok(Notes { pool })
    }

    /// Opens the session, which comes first.
    #[tool]
    fn session_init(&self) -> String {
        "The session is open.".to_owned()
    }

    /// Keeps a note.
    #[tool]
    async fn add_note(&self, Parameters(note): Parameters<NewNote>) -> Result<String, String> {
        self.insert(&note.text).await.map_err(said)?;
        Ok("kept".to_owned())
    }

    /// Lists the notes, the oldest first.
    #[tool]
    async fn list_notes(&self) -> Result<String, String> {
        self.all().await.map_err(said)
    }

    async fn insert(&self, text: &str) -> Result<(), PoolError> {
        let client = self.pool.get().await?;
        let insert = "INSERT INTO note (text) VALUES ($1)";
        client.execute(insert, &[&text]).await?;
        Ok(())
    }

    async fn all(&self) -> Result<String, PoolError> {
        let client = self.pool.get().await?;
        let rows = client
            .query("SELECT text FROM note ORDER BY id", &[])
            .await?;
        let texts: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
        Ok(texts.join("\n"))
    }
}

/// An error is the tool's answer: the agent can tell its user, and a JSON-RPC error would not reach it.
fn said(error: PoolError) -> String {
    format!("the database of the notes cannot be used: {error}\nhelp: call again in a while")
}

#[tool_handler]
impl ServerHandler for Notes {}

fn main() -> ExitCode {
    Program::new("notes", Notes::connect)
        .package(hooks_sdk::package!())
        .session::<Stage>()
        .main()
}
