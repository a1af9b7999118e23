//! What `hooks fire` does inside of a trial: it adds a probe of its own, and writes down what it answered.

use std::{
    env, fs,
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    process,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Client, Fired, dump::LeftOut, silence};
use hooks_core::{
    Declared,
    lifecycle::{Declaration, Event, HookContent, Strength, host::Reason},
};

/// The variable with the folder of the trial.
pub const VARIABLE: &str = "HOOKS_TRIAL";

/// The id of the probe among the hooks.
pub const PROBE: &str = "hooks-prove";

/// The file that makes a folder the folder of a trial.
const MARK: &str = "trial";

/// The folder with one file for each firing.
const FIRINGS: &str = "firings";

/// The folder with the texts of probes that a trial has set, one file for each event.
const TEXTS: &str = "texts";

/// The maximum number of firings that are read.
const MOST: usize = 500;

/// The trial in which this process runs.
#[derive(Debug)]
pub struct Inside {
    root: PathBuf,
}

/// One run of `hooks fire`, as it wrote it down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeFiring {
    /// The time, in nanoseconds since 1970.
    pub at: u64,
    /// The event, by the name of SEP-2282; `None` if the input could not be read.
    pub event: Option<Event>,
    /// The tool's name, in the client's word.
    pub tool: Option<String>,
    /// The texts in the answer.
    pub said: Vec<Said>,
    /// The hooks at this event whose texts are not in the answer.
    pub unsaid: Vec<Unsaid>,
    /// Why no hook fired.
    pub problem: Option<String>,
}

/// A text that was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The hooks.
    pub hooks: Vec<String>,
    /// The text.
    pub text: String,
}

/// A hook that fired without a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsaid {
    /// The hooks.
    pub hooks: Vec<String>,
    /// Whether that is as the author wants it: the matcher does not match, or the tool has nothing to say.
    pub meant: bool,
    /// Why there is no text.
    pub why: String,
}

impl Inside {
    /// Returns the trial, if this process runs in one: the variable names a folder that a trial made, and the home folder
    /// is below it. So no variable that is left over switches a user's own hooks to probes.
    pub fn here() -> Option<Inside> {
        let root = PathBuf::from(env::var_os(VARIABLE)?);
        let is_trial = root.join(MARK).is_file() && env::home_dir()?.starts_with(&root);
        is_trial.then_some(Inside { root })
    }

    /// Returns the folder of the trial.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder for the program's data.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// Takes the declarations at an event, and adds a hook that says at each firing a text that no other firing says. A text
    /// that the trial has [set](set_probe) takes the place of all.
    pub fn probe(&self, event: Event, declared: &mut Vec<Declared>) {
        let set = fs::read_to_string(self.root.join(TEXTS).join(event.as_str()));
        let text = match set {
            Ok(set) => {
                declared.clear();
                nonce() + &set
            }
            Err(_) => text(event),
        };
        let content = HookContent::context(text);
        let declaration = Declaration::new(event, Strength::Suggestion, content);
        declared.push(Declared::new(vec![PROBE.to_owned()], declaration));
    }

    /// Writes down what this process answers. Where the table says that no text reaches the agent, sends the probe all
    /// the same, so that the trial shows it.
    pub fn answered(
        &self,
        client: &Client,
        fired: &mut Fired,
        declared: &[Declared],
        unfit: &[LeftOut],
    ) {
        let Some(seen) = &fired.seen else { return };
        let event = seen.occasion.event;
        let mut firing = ProbeFiring {
            event: Some(event),
            tool: seen.occasion.variables.tool_name.clone(),
            problem: silence(client, seen).map(str::to_owned),
            ..ProbeFiring::default()
        };
        let mapping = client.mapping(event);
        if let Some(report) = &fired.report {
            let hooks = |index: usize| {
                let declared = declared.get(index);
                declared.map_or_else(Vec::new, |each| each.hooks.clone())
            };
            let unsaid = |index, meant, why| Unsaid {
                hooks: hooks(index),
                meant,
                why,
            };
            let said = report.injected.iter().map(|it| Said {
                hooks: hooks(it.index),
                text: it.to_string(),
            });
            firing.said = said.collect();
            let skipped = report.skipped.iter().map(|it| {
                let meant = matches!(it.reason, Reason::NotMatched | Reason::Empty);
                unsaid(it.index, meant, it.reason.to_string())
            });
            let failed = report.failed.iter();
            let failed = failed.map(|it| unsaid(it.index, false, it.to_string()));
            let unfit = unfit.iter().map(|it| Unsaid {
                hooks: it.hooks.clone(),
                meant: false,
                why: it.why.clone(),
            });
            firing.unsaid = skipped.chain(failed).chain(unfit).collect();
        } else if !mapping.delivery.reaches_agent() && !seen.kept_going && !seen.subagent {
            let text = text(event);
            fired.output = json!({
                "hookSpecificOutput": { "hookEventName": mapping.native, "additionalContext": text },
                "additionalContext": text,
            });
            firing.said.push(Said {
                hooks: vec![PROBE.to_owned()],
                text,
            });
        }
        self.write(firing);
    }

    /// Writes down that this process fired no hook.
    pub fn failed(&self, problem: &str) {
        self.write(ProbeFiring {
            problem: Some(problem.to_owned()),
            ..ProbeFiring::default()
        });
    }

    fn write(&self, mut firing: ProbeFiring) {
        firing.at = now();
        let path = self
            .root
            .join(FIRINGS)
            .join(format!("{}-{}", firing.at, process::id()));
        let part = path.with_extension("part");
        let written = serde_json::to_vec(&firing).map_err(io::Error::from);
        let written = written.and_then(|bytes| fs::write(&part, bytes));
        if let Err(error) = written.and_then(|()| fs::rename(&part, path.with_extension("json"))) {
            tracing::warn!(
                target: "hooks_sdk::clients",
                %error, "the trial does not learn of this firing"
            );
        }
    }
}

fn nonce() -> String {
    // The keys of a hasher are random: the texts of an event differ, and the trial tells them apart.
    format!("{:016x}", RandomState::new().hash_one(now()))
}

fn text(event: Event) -> String {
    format!("{} is the delivery probe of {event}.", nonce())
}

/// Returns the time in nanoseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX)
}

/// Makes a folder the folder of a trial.
pub fn prepare(root: &Path) -> io::Result<()> {
    fs::create_dir(root.join(FIRINGS))?;
    fs::create_dir(root.join("data"))?;
    fs::write(root.join(MARK), "a trial of `hooks prove`\n")
}

/// Sets what follows the first word of the probe at an event, which differs at each firing.
pub fn set_probe(root: &Path, event: Event, text: &str) -> io::Result<()> {
    let folder = root.join(TEXTS);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(event.as_str()), text)
}

/// Returns the firings of a trial, the earliest first, and at most 500 of them.
pub fn firings(root: &Path) -> io::Result<Vec<ProbeFiring>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(FIRINGS))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    // The names begin with the time.
    files.sort();
    let read = |path| Ok(serde_json::from_slice(&fs::read(path)?)?);
    files.into_iter().take(MOST).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_firings_the_earliest_are_read() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path()).unwrap();
        let inside = Inside {
            root: folder.path().to_owned(),
        };
        for number in 0..3 * MOST {
            inside.failed(&number.to_string());
        }
        let read = firings(folder.path()).unwrap();
        let read: Vec<_> = read.into_iter().filter_map(|it| it.problem).collect();
        let first: Vec<_> = (0..MOST).map(|number| number.to_string()).collect();
        assert_eq!(read, first);
    }
}
