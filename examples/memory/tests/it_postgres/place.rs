//! Where the tests have their memories: in databases of one PostgreSQL server.

use std::{
    collections::HashMap,
    env,
    path::{Path, PathBuf},
    process::{self, Command, Output},
    sync::{LazyLock, Mutex},
};

use memory_server::store::{Options, Store};
use tempfile::TempDir;

use crate::server::{self, Postgres};

/// The server of this process; a process without one ends here, and says so.
static SERVER: LazyLock<Postgres> = LazyLock::new(|| {
    let Some(server) = Postgres::start() else {
        server::say(
            "skipped: this computer has no PostgreSQL (apt-get install postgresql); with HOOKS_SKIP=never this fails",
        );
        // Where everything has to run, this is a failure.
        let never = env::var_os("HOOKS_SKIP").is_some_and(|value| value == "never");
        process::exit(i32::from(never));
    };
    // Its tables are copied, which is quicker than making them.
    server.sql("postgres", "CREATE DATABASE template_of_tests");
    Store::open(server.url("template_of_tests"), Options::default()).unwrap();
    server
});

static DATABASES: LazyLock<Mutex<HashMap<PathBuf, PathBuf>>> = LazyLock::new(Mutex::default);

/// The server of this process.
pub(crate) fn server() -> &'static Postgres {
    &SERVER
}

/// The database of a name in a folder, as a URL: the folder makes it a test's own.
pub(crate) fn database(folder: &TempDir, name: &str) -> PathBuf {
    let server = server();
    let mut databases = DATABASES.lock().unwrap();
    let next = databases.len();
    let made = databases
        .entry(folder.path().join(name))
        .or_insert_with(|| {
            let name = format!("test_{next}");
            server.sql(
                "postgres",
                &format!("CREATE DATABASE {name} TEMPLATE template_of_tests"),
            );
            server.url(&name)
        });
    made.clone()
}

/// The name of a database of the server.
pub(crate) fn name(url: &Path) -> String {
    let (_, name) = url.to_str().unwrap().rsplit_once('/').unwrap();
    name.to_owned()
}

/// An empty database, without tables.
pub(crate) fn empty(name: &str) -> PathBuf {
    server().sql("postgres", &format!("CREATE DATABASE {name}"));
    server().url(name)
}

/// Runs the program with a database.
pub(crate) fn run(database: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_memory-server"))
        .args(arguments)
        .env("MEMORY_DATABASE", database)
        .output()
        .unwrap()
}
