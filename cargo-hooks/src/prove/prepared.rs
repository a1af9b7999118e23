//! The steps of a trial: the installation, the client's version, the model's steps, and why a hook did not fire.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use hooks_clients::{
    Client, GateEntries, InstallScope, Installation,
    config::{HookEntry, Installed, Plan},
    dump::{Dump, DumpedServer},
    find_program,
};
use hooks_core::lifecycle::Event;
use serde_json::{Value, json};

use super::{
    Course, Fate, Launch, Play, ProgramEnd, Proof, StandIn, Trial, gates, last_lines, launch,
    listen,
};
use crate::{CommandError, print};

/// The time, after a client's end, for hooks that it does not wait for.
const GRACE: Duration = Duration::from_millis(300);

/// The maximum time for a client to print its version.
const FOR_VERSION: Duration = Duration::from_secs(6);

/// The time for the commands of the entries that did not fire, together.
const FOR_ENTRIES: Duration = Duration::from_secs(6);

/// How many folders above a program may be its package.
const DEEPEST: usize = 6;

/// The maximum length of a package's description in bytes: 1 MiB.
const LONGEST_PACKAGE: u64 = 1 << 20;

/// The maximum number of characters that are shown of a command.
const COMMAND: usize = 90;

/// The requests of an agent from which it is in a loop. A sound trial needs four, and a resumed session two more.
const MOST_REQUESTS: usize = 40;

/// The step in the client's shell tool. Hooks often wait for a commit.
const COMMIT: &str = "git commit --allow-empty -q -m 'A step of the trial'";

/// What is special in a trial.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Whether the model calls a tool of the server, too.
    pub calls_server: bool,
    /// Whether the model starts a subagent, if it is known how.
    pub starts_subagent: bool,
    /// Whether the client's files are in the folder that its strongest variable names.
    pub is_moved: bool,
    /// The tokens that the model reports until the client compacts its session, if not a few.
    pub tokens: Option<u64>,
    /// Whether the calls are those beside a gate.
    pub has_gates: bool,
}

/// A trial whose client has not been started yet.
#[derive(Debug)]
pub struct PreparedTrial {
    pub(super) client: &'static Client,
    /// The folders.
    pub trial: Trial,
    /// How the client is started.
    pub launch: Launch,
    pub(super) plan: Plan,
    /// The stand-in for the client's model service.
    pub stand_in: StandIn,
    /// The client's program.
    pub at: PathBuf,
    /// Why the server does not start.
    pub(super) refused: Option<String>,
    /// The author's instructions.
    pub(super) instructions: Option<String>,
    /// The requests from which the agent is in a loop.
    most: usize,
}

impl PreparedTrial {
    /// Makes the folders of a trial, installs the hooks of the program `binary` there, and starts the stand-in.
    ///
    /// # Errors
    ///
    /// The client is not on the PATH, or cannot be run without its own service; or the folders cannot be prepared.
    pub async fn of(
        program: &Dump,
        client: &'static Client,
        binary: &Path,
        setting: Setting,
        until: Instant,
        notes: &mut Vec<String>,
    ) -> Result<PreparedTrial, CommandError> {
        let Some(at) = find_program(client.program) else {
            return Err(format!("`{}` is not on the PATH", client.program).into());
        };
        let listener = listen(0).await?;
        let mut trial = Trial::new(&*program.name, listener.local_addr()?.port())?;
        let mut variables = client.folder.variables.iter();
        if let Some((variable, below)) = variables.next().filter(|_| setting.is_moved) {
            let folder = trial.root.join("moved");
            fs::create_dir_all(folder.join(below))?;
            trial.moved = Some((variable, folder));
        }
        let Some(mut launch) = launch(client, &trial) else {
            return Err("it cannot be run without its own model service".into());
        };
        trial.prepare(&launch.files, until).await?;
        let ours = trial.program(binary)?;
        let plan = plan(client, &trial, &program.id, &ours, setting.has_gates);
        plan.apply(&trial.data())?;
        let (mut plays, mut most) = (Vec::new(), MOST_REQUESTS);
        if let (true, Some(of)) = (setting.has_gates, &client.gates) {
            let beside = gates::beside(client, of, &trial)?;
            beside.apply(&trial.data().join("beside"))?;
            plays = gates::plays(&launch, &trial, &ours)?;
            most += plays.len();
            launch.env.append(&mut launch.for_pages);
        } else {
            plays.extend(launch.subagent().filter(|_| setting.starts_subagent));
            plays.push(Play::Shell(COMMIT.to_owned()));
        }
        let (mut refused, mut instructions) = (None, None);
        if setting.calls_server {
            match said(&trial, &ours, until, notes).await {
                Ok(server) => {
                    plays.extend(server.harmless.map(|(tool, arguments)| Play::Tool {
                        server: trial.server.clone(),
                        tool,
                        arguments,
                    }));
                    instructions = server.instructions;
                }
                Err(problem) => refused = Some(problem),
            }
        }
        Ok(PreparedTrial {
            client,
            stand_in: StandIn::serve(listener, launch.dialect, plays, setting.tokens),
            trial,
            launch,
            plan,
            at,
            refused,
            instructions,
            most,
        })
    }

    /// Runs the client to its end. Returns it, and what the client wrote to standard output.
    ///
    /// # Errors
    ///
    /// The client cannot be started.
    pub async fn start(
        &self,
        arguments: &[String],
        until: Instant,
    ) -> io::Result<(ProgramEnd, String)> {
        let mut started = Command::new(&self.at);
        let variables = self.launch.env.iter().map(|(name, value)| (name, value));
        started.args(arguments).envs(variables);
        let loops = || {
            let log = self.stand_in.log();
            let asks = log.requests.len() + log.inside.len() > self.most;
            asks.then(|| {
                format!(
                    "it was ended after {} requests: it asks its model again and again",
                    self.most
                )
            })
        };
        let name = self.client.name;
        self.trial
            .watched(name, &mut started, b"", until, loops, GRACE)
            .await
    }

    /// Returns how far the client came.
    pub fn course(&self, ended: &ProgramEnd) -> Course {
        let log = self.stand_in.log();
        Course {
            is_complete: ended.problem().is_none(),
            is_done: log.done,
            latest: log.latest,
        }
    }
}

/// Plans the installation in a trial: an entry for each event, also where no text is expected to reach the agent.
///
/// The program's arguments are left out, because they name the user's data.
fn plan(client: &'static Client, trial: &Trial, id: &str, program: &Path, has_gates: bool) -> Plan {
    let place = trial.place();
    let to = Installation::new(id, InstallScope::User, &place, &trial.server, program);
    if has_gates {
        let gates = GateEntries::closed();
        let gates = Some(&gates);
        return Installation { gates, ..to }.plan(client, true);
    }
    let to = Installation {
        events: &Event::ALL,
        ..to
    };
    let plan = to.plan(client, true);
    if plan.hooks.is_empty() {
        // The hooks are a file of their own, which has all events.
        return plan;
    }
    let unheard = Event::ALL
        .into_iter()
        .filter(|event| !client.mapping(*event).delivery.reaches_agent());
    unheard.fold(plan, |plan, event| {
        let command = to.command(client, event.as_str());
        plan.hook(HookEntry {
            file: client.hooks_file(to.scope, &place, to.server),
            event: client.mapping(event).native.to_owned(),
            value: client.hook_entry(event, to.server, &command),
        })
    })
}

/// Returns the version of a client: of the package that its program is in, or what it says, which takes some clients
/// seconds.
pub async fn version(
    client: &Client,
    trial: &Trial,
    program: &Path,
    until: Instant,
) -> Option<String> {
    if let Some(version) = packaged(client.program, program) {
        return Some(version);
    }
    let until = until.min(Instant::now() + FOR_VERSION);
    let mut command = Command::new(program);
    let command = command.arg("--version");
    let (_, said) = trial.output("version", command, b"", until).await.ok()?;
    let is_version = |word: &&str| {
        word.contains('.') && word.starts_with(|letter: char| letter.is_ascii_digit())
    };
    let version = said.split_whitespace().find(is_version)?;
    Some(version.trim_end_matches('.').to_owned())
}

/// Returns the version of the npm package that has this program.
fn packaged(name: &str, program: &Path) -> Option<String> {
    let program = fs::canonicalize(program).ok()?;
    let mut files = program
        .ancestors()
        .skip(1)
        .take(DEEPEST)
        .map(|folder| folder.join("package.json"));
    let package = files.find_map(|file| {
        let file = File::open(file).ok()?;
        let package: Value =
            serde_json::from_reader(BufReader::new(file.take(LONGEST_PACKAGE))).ok()?;
        (package["bin"].get(name).is_some()).then_some(package)
    })?;
    package["version"].as_str().map(str::to_owned)
}

/// Returns what the server says inside of the trial. The error says why `serve` would refuse to start.
async fn said(
    trial: &Trial,
    ours: &Path,
    until: Instant,
    notes: &mut Vec<String>,
) -> Result<DumpedServer, String> {
    let mut command = Command::new(ours);
    let command = command.args(["hooks", "dump", "--json", "--tools"]);
    let asked = trial.output("tools", command, b"", until).await;
    let is_said = asked.is_ok_and(|(ended, _)| ended.problem().is_none());
    // Skills and an icon are in it, too.
    let said = is_said.then(|| fs::read(trial.root.join("tools.out")).ok());
    let dump = said.flatten();
    let dump = dump.and_then(|said| serde_json::from_slice::<Dump>(&said).ok());
    let dump = dump.unwrap_or_default();
    if let Some(problem) = dump.problems.first() {
        return Err(problem.to_string());
    }
    match &dump.server {
        Some(server) if server.harmless.is_some() => {}
        Some(_) => notes
            .push("no tool of the server was called: none is annotated as read-only".to_owned()),
        None => {
            let why = last_lines(&trial.errors("tools")).pop().unwrap_or_default();
            notes.push(format!(
                "no tool of the server was called, because the server does not list them: {why}"
            ));
        }
    }
    Ok(dump.server.unwrap_or_default())
}

/// Looks up why a hook did not fire: its entry is gone, or the command in it does not work.
pub(super) async fn blame(client: &Client, proof: &mut Proof, plan: &Plan, trial: &Trial) {
    let until = Instant::now() + FOR_ENTRIES;
    let Ok(installed) = plan.installed() else {
        return;
    };
    for at in &mut proof.events {
        let Some(finding) = at.finding.as_mut().filter(|_| at.fate == Fate::DidNotFire) else {
            continue;
        };
        let mut entries = installed
            .iter()
            .filter(|entry| entry.event == at.native)
            .peekable();
        if entries.peek().is_none() {
            finding.push_str(": its entry is no longer in the client's file");
        }
        for entry in entries {
            if let Some(problem) = broken(client, trial, entry, until).await {
                finding.push_str(&format!(
                    ": its command {problem}: `{}`",
                    print::clip(&entry.command, COMMAND)
                ));
            }
        }
    }
}

/// Runs the command of an entry with an event that no client has. Returns what is wrong with its answer.
async fn broken(
    client: &Client,
    trial: &Trial,
    entry: &Installed,
    until: Instant,
) -> Option<String> {
    const NOTHING: &str = "returns nothing, because its program does not exist";
    if find_program(&entry.program).is_none() {
        // At the start of a session, its command says so in the client's form.
        return Some(NOTHING.to_owned());
    }
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", &entry.command]);
    let input = br#"{"hook_event_name":"hooks prove"}"#;
    let said = match trial.output("entry", shell, input, until).await {
        Err(error) => return Some(format!("cannot be run ({error})")),
        Ok((ended, said)) => match ended.problem() {
            Some(problem) => return Some(format!("fails ({problem})")),
            None => said,
        },
    };
    let is_object = serde_json::from_str::<Value>(&said).is_ok_and(|answer| answer.is_object());
    let is_empty_answer = !said.is_empty() && said.trim() == client.printed(&json!({}));
    match said.trim() {
        _ if is_object || is_empty_answer => None,
        "" => Some(NOTHING.to_owned()),
        other => Some(format!(
            "returns no JSON object, but {}",
            print::clip(other, 60)
        )),
    }
}
