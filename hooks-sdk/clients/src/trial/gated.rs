//! What `hooks fire` does inside of a trial of gates: it notes that it was asked, and fails as the trial wants.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process, thread,
    time::Duration,
};

use super::Inside;
use crate::GateTrial;

/// The folder with one empty file for each call about which a gate was asked.
const ASKED: &str = "asked";

/// A call of a trial of gates, which its file name says: `gate-TRIAL-ok` runs, and `gate-TRIAL-no` does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gated {
    /// The trial.
    pub trial: GateTrial,
    /// Whether the gate refuses the call.
    pub is_refused: bool,
}

/// A failure of the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disturbance {
    /// A signal ends it.
    Crash,
    /// It writes no object.
    Garbage,
    /// It does not answer.
    Hang,
}

impl Gated {
    /// Makes the call that runs, or the one that is refused.
    pub const fn new(trial: GateTrial, is_refused: bool) -> Gated {
        Gated { trial, is_refused }
    }

    /// Returns the name of the file that the call makes.
    pub fn file(self) -> String {
        let end = if self.is_refused { "no" } else { "ok" };
        format!("gate-{}-{end}", self.trial.as_str())
    }

    /// Returns the call that a text names.
    pub fn named_in(text: &str) -> Option<Gated> {
        let both = [true, false].into_iter();
        let mut all = both.flat_map(|refused| {
            let trials = GateTrial::ALL.iter();
            trials.map(move |trial| Gated::new(*trial, refused))
        });
        all.find(|call| text.contains(&call.file()))
    }

    /// Returns the failure of the program at this call.
    pub fn disturbance(self) -> Option<Disturbance> {
        match (self.trial, self.is_refused) {
            (GateTrial::Crash, true) => Some(Disturbance::Crash),
            (GateTrial::Garbage, true) => Some(Disturbance::Garbage),
            (GateTrial::Hang, true) => Some(Disturbance::Hang),
            _ => None,
        }
    }
}

impl Disturbance {
    /// Fails so, and never returns.
    pub fn happen(self) -> ! {
        match self {
            Disturbance::Crash => process::abort(),
            Disturbance::Garbage => {
                // Whoever does not read it has no answer either.
                _ = io::stdout().write_all(b"a line that is no answer\n{\n");
            }
            Disturbance::Hang => {
                // Longer than any client waits.
                thread::sleep(Duration::from_secs(60));
            }
        }
        process::exit(0)
    }
}

impl Inside {
    /// Notes that the gate was asked about a call.
    pub fn asked(&self, call: Gated) {
        let folder = self.root().join(ASKED);
        let noted = fs::create_dir_all(&folder);
        if let Err(error) = noted.and_then(|()| fs::write(folder.join(call.file()), "")) {
            tracing::warn!(
                target: "hooks_sdk::clients",
                %error, "the trial does not learn that the gate was asked"
            );
        }
    }
}

/// Returns whether the gate of a trial was asked about a call.
pub fn was_asked(root: &Path, call: Gated) -> bool {
    root.join(ASKED).join(call.file()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_known_by_its_file() {
        for trial in GateTrial::ALL {
            for refused in [true, false] {
                let call = Gated::new(*trial, refused);
                let text = format!(r#"{{"command":"touch /a/{}"}}"#, call.file());
                assert_eq!(Gated::named_in(&text), Some(call));
            }
        }
        assert_eq!(Gated::named_in("touch gate-shell"), None);
    }
}
