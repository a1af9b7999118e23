//! The throw-away folders in which a client runs once, and the environment that it gets.

use std::{
    env, fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::inside;
use crate::clients::{
    Place,
    config::{command_line, quoted},
};

/// A throw-away home and project for one run of a client, and the address of the stand-in for its model service.
///
/// The folders are deleted when the value is dropped.
#[derive(Debug)]
pub struct Trial {
    folder: TempDir,
    root: PathBuf,
    home: PathBuf,
    project: PathBuf,
    port: u16,
    server: String,
}

impl Trial {
    /// The prompt with which a client is started.
    pub const PROMPT: &str = "Please do the planned steps.";

    /// The key for the stand-in, which accepts any key.
    pub const KEY: &str = "a-key-that-opens-nothing";

    /// The name of the model.
    pub const MODEL: &str = "stand-in";

    /// Makes the folders. `server` is the name of the MCP server in the client, and the stand-in listens on `port`.
    ///
    /// # Errors
    ///
    /// A folder cannot be created.
    pub fn new(server: impl Into<String>, port: u16) -> io::Result<Trial> {
        let folder = tempfile::Builder::new().prefix("hooks-prove-").tempdir()?;
        // Clients compare paths, and the folder for temporary files may be a link.
        let root = folder.path().canonicalize()?;
        let (home, project) = (root.join("home"), root.join("project"));
        for each in [&home, &project, &root.join("tmp"), &root.join("bin")] {
            fs::create_dir(each)?;
        }
        inside::prepare(&root)?;
        Ok(Trial {
            folder,
            root,
            home,
            project,
            port,
            server: server.into(),
        })
    }

    /// Returns the home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the project's folder, a git repository.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Returns the name of the MCP server in the client.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Returns the URL of the stand-in with this path, such as `/v1`, or without a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns the folder that holds all others.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns where the client finds its files.
    pub(crate) fn place(&self) -> Place {
        Place::new(&self.home, &self.project).codex_home(self.home.join(".codex"))
    }

    /// Returns the environment of the client. It is made from nothing, so that no key and no setting of the user gets
    /// in.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let below = |path: &str| self.home.join(path).to_string_lossy().into_owned();
        let shell = ["/bin/bash", "/bin/sh"].into_iter();
        let shell = shell.filter(|shell| Path::new(shell).exists()).take(1);
        let path = env::var("PATH").unwrap_or_default();
        let fixed = [
            ("PATH", path),
            ("HOME", below("")),
            ("CODEX_HOME", below(".codex")),
            ("XDG_CONFIG_HOME", below(".config")),
            ("XDG_CACHE_HOME", below(".cache")),
            ("XDG_DATA_HOME", below(".local/share")),
            ("XDG_STATE_HOME", below(".local/state")),
            (
                "TMPDIR",
                self.root.join("tmp").to_string_lossy().into_owned(),
            ),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
            ("CI", "1".to_owned()),
            ("NO_PROXY", "*".to_owned()),
            ("no_proxy", "*".to_owned()),
        ];
        let fixed = fixed
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        fixed
            .chain(shell.map(|shell| ("SHELL".to_owned(), shell.to_owned())))
            .collect()
    }

    /// Writes the program that the client's entries start: it starts `program` inside of this trial.
    pub(crate) fn program(&self, program: &Path) -> io::Result<PathBuf> {
        let name = program.file_name().unwrap_or(program.as_os_str());
        let path = self.root.join("bin").join(name);
        let mut script = "#!/bin/sh\n".to_owned();
        // Some clients give hooks and servers only a part of their environment.
        let root = self.root.to_string_lossy().into_owned();
        let variables = self.environment().into_iter();
        let variables = variables.filter(|(name, _)| name == "HOME" || name.starts_with("XDG_"));
        for (name, value) in variables.chain([(inside::VARIABLE.to_owned(), root)]) {
            script.push_str(&format!("export {name}={}\n", quoted(&value)));
        }
        script.push_str(&format!("{} \"$@\"\n", command_line(program, &[])));
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }
}
