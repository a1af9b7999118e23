//! The throw-away folders in which a client runs once, and the environment that it gets.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use hooks_clients::{
    Place,
    config::{command_line, quoted},
    trial::{VARIABLE, prepare},
};

use super::{
    processes::end_all,
    run::{ProgramEnd, run},
};

/// The maximum length of a program's output in bytes: 16 MiB.
const LONGEST_OUTPUT: u64 = 16 << 20;

/// The part of an output that is read, in bytes from its end: 1 MiB.
const READ: u64 = 1 << 20;

/// A throw-away home and project for one run of a client, and the address of the stand-in for its model service.
///
/// When the value is dropped, every process that runs in the folders is ended, and the folders are deleted.
#[derive(Debug)]
pub struct Trial {
    _folder: TempDir,
    /// The folder that holds all others.
    pub root: PathBuf,
    /// The home folder.
    pub home: PathBuf,
    /// The project's folder, a git repository.
    pub project: PathBuf,
    /// The name of the MCP server in the client.
    pub server: String,
    port: u16,
    /// The variable that moves the client's folder, and the folder that it names.
    pub(super) moved: Option<(&'static str, PathBuf)>,
}

/// Copies a program into a folder that lives as long as the first value: a program that is built again while trials run changes
/// none of them. The second value is the path of the copy.
///
/// # Errors
///
/// The program cannot be read, or the copy cannot be written.
pub fn copy(program: &Path) -> io::Result<(TempDir, PathBuf)> {
    let folder = tempfile::Builder::new().prefix("hooks-prove-").tempdir()?;
    let path = folder.path().join(file_name(program));
    fs::copy(program, &path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
    Ok((folder, path))
}

fn file_name(program: &Path) -> &OsStr {
    program.file_name().unwrap_or(program.as_os_str())
}

impl Drop for Trial {
    fn drop(&mut self) {
        // Also on Ctrl-C. The folders are deleted after this.
        end_all(&self.root);
    }
}

impl Trial {
    /// The prompt with which a client is started.
    pub const PROMPT: &str = "Please do the planned steps.";

    /// The task of a subagent.
    pub const TASK: &str = "Please do the part of a subagent.";

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
        prepare(&root)?;
        Ok(Trial {
            _folder: folder,
            root,
            home,
            project,
            port,
            server: server.into(),
            moved: None,
        })
    }

    /// Returns the URL of the stand-in with this path, such as `/v1`, or without a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns where the client finds its files.
    pub fn place(&self) -> Place {
        let place = Place::new(&self.home, &self.project);
        match &self.moved {
            Some((variable, folder)) => place.moved(variable, folder),
            None => place,
        }
    }

    /// Returns the environment of the client. It is made from nothing, so that no key and no setting of the user gets
    /// in.
    fn environment(&self) -> BTreeMap<&'static str, String> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let below = |path: &str| text(self.home.join(path));
        let mut variables = BTreeMap::from([
            ("PATH", env::var("PATH").unwrap_or_default()),
            ("HOME", below("")),
            ("CODEX_HOME", below(".codex")),
            ("XDG_CONFIG_HOME", below(".config")),
            ("XDG_CACHE_HOME", below(".cache")),
            ("XDG_DATA_HOME", below(".local/share")),
            ("XDG_STATE_HOME", below(".local/state")),
            ("TMPDIR", text(self.root.join("tmp"))),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
            ("CI", "1".to_owned()),
            ("NO_PROXY", "*".to_owned()),
            ("no_proxy", "*".to_owned()),
        ]);
        let mut shells = ["/bin/bash", "/bin/sh"].into_iter();
        let shell = shells.find(|shell| Path::new(shell).exists());
        variables.extend(shell.map(|shell| ("SHELL", shell.to_owned())));
        let moved = self.moved.iter();
        variables.extend(moved.map(|(variable, folder)| (*variable, text(folder.clone()))));
        variables
    }

    /// Writes the client's files, and makes the project a git repository.
    pub async fn prepare(&self, files: &[(PathBuf, String)], until: Instant) -> io::Result<()> {
        for (path, content) in files {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, content)?;
        }
        fs::write(self.project.join("README.md"), "# A project for one run\n")?;
        for arguments in [
            &["init", "-q"][..],
            // In the repository, because some clients hide the user's own settings.
            &["config", "user.name", "hooks prove"],
            &["config", "user.email", "prove@example.invalid"],
            &["add", "."],
            &["commit", "-q", "-m", "The beginning"],
        ] {
            let mut git = Command::new("git");
            let (ended, _) = self.output("git", git.args(arguments), b"", until).await?;
            if let Some(problem) = ended.problem() {
                return Err(io::Error::other(format!(
                    "`git {}`: {problem}",
                    arguments[0]
                )));
            }
        }
        Ok(())
    }

    /// Returns the folder of the program's data.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// Runs a program in the project, and returns what it wrote to standard output. `name` is the name of the files that
    /// keep its output.
    pub async fn output(
        &self,
        name: &str,
        command: &mut Command,
        input: &[u8],
        until: Instant,
    ) -> io::Result<(ProgramEnd, String)> {
        self.watched(name, command, input, until, || None, Duration::ZERO)
            .await
    }

    /// Like [`output`](Trial::output), for the client: ends it as soon as `stop` returns a reason, and gives hooks that it does
    /// not wait for the time `grace` after its end.
    pub(super) async fn watched(
        &self,
        name: &str,
        command: &mut Command,
        input: &[u8],
        until: Instant,
        stop: impl Fn() -> Option<String>,
        grace: Duration,
    ) -> io::Result<(ProgramEnd, String)> {
        let files = ["in", "out", "err"].map(|ending| self.root.join(format!("{name}.{ending}")));
        let [given, out, err] = files;
        fs::write(&given, input)?;
        let set = command.get_envs();
        let set = set.filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let set: Vec<(OsString, OsString)> = set.collect();
        command.env_clear().envs(self.environment()).envs(set);
        command.current_dir(&self.project);
        let outputs = (File::create(&out)?, File::create(&err)?);
        let too_much = || {
            is_too_long(&out)
                .or_else(|| is_too_long(&err))
                .or_else(&stop)
        };
        let given = File::open(&given)?;
        let ended = run(command, given, outputs, until, too_much, grace).await;
        let ended = ended.map_err(|error| {
            let program = command.get_program().to_string_lossy().into_owned();
            io::Error::new(error.kind(), format!("cannot start `{program}`: {error}"))
        })?;
        Ok((ended, read(&out)?))
    }

    /// Returns the end of what a program wrote to standard error under this name.
    pub fn errors(&self, name: &str) -> String {
        read(&self.root.join(format!("{name}.err"))).unwrap_or_default()
    }

    /// Writes a script into the folder of the trial's programs.
    pub(super) fn put(&self, name: &OsStr, script: &str) -> io::Result<PathBuf> {
        let path = self.root.join("bin").join(name);
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }

    /// Writes the program that the client's entries start: it starts `program` inside of this trial.
    pub(super) fn program(&self, program: &Path) -> io::Result<PathBuf> {
        let mut script = "#!/bin/sh\n".to_owned();
        // Some clients give hooks and servers only a part of their environment.
        let root = self.root.to_string_lossy().into_owned();
        let variables = self.environment().into_iter();
        let variables = variables.filter(|(name, _)| *name == "HOME" || name.starts_with("XDG_"));
        for (name, value) in variables.chain([(VARIABLE, root)]) {
            script.push_str(&format!("export {name}={}\n", quoted(&value)));
        }
        script.push_str(&format!("{} \"$@\"\n", command_line(program, &[])));
        self.put(file_name(program), &script)
    }
}

fn is_too_long(path: &Path) -> Option<String> {
    let length = fs::metadata(path).map_or(0, |file| file.len());
    (length > LONGEST_OUTPUT).then(|| "it wrote more than 16 MiB".to_owned())
}

/// Returns the end of a file.
fn read(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(READ)))?;
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
