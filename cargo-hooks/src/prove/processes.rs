//! The processes of a trial, which end with it: also those that left the client's process group, such as daemons.

use std::path::Path;

/// The maximum number of looks for processes: each may have started another one in between.
#[cfg(target_os = "linux")]
const LOOKS: usize = 100;

/// The time between two looks.
#[cfg(target_os = "linux")]
const PAUSE: std::time::Duration = std::time::Duration::from_millis(10);

/// The maximum number of characters of a command line.
#[cfg(target_os = "linux")]
const CHARACTERS: usize = 80;

/// Ends every process whose folder, program or environment is below `root`, and returns their command lines.
///
/// It looks into `/proc`, so on systems other than Linux it finds none.
#[cfg(target_os = "linux")]
pub(super) fn end_all(root: &Path) -> Vec<String> {
    use std::collections::BTreeMap;

    use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let mut ended = BTreeMap::new();
    for look in 0..LOOKS {
        if look > 0 {
            std::thread::sleep(PAUSE);
        }
        let mut found = false;
        for id in ids() {
            // The descriptor names this process also if another one gets its number.
            let Ok(process) = pidfd_open(id, PidfdFlags::empty()) else {
                continue;
            };
            let number = id.as_raw_nonzero();
            if is_below(number.get(), root) {
                found = true;
                ended.entry(number).or_insert_with(|| command(number.get()));
                _ = pidfd_send_signal(&process, Signal::KILL);
            }
        }
        if !found {
            break;
        }
    }
    ended.into_values().collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_all(_root: &Path) -> Vec<String> {
    Vec::new()
}

/// Returns the ids of all processes but this one.
#[cfg(target_os = "linux")]
fn ids() -> Vec<rustix::process::Pid> {
    let own = std::process::id();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let others = numbers.filter(|number| *number != own);
    let ids =
        others.filter_map(|number| rustix::process::Pid::from_raw(i32::try_from(number).ok()?));
    ids.collect()
}

/// Returns whether a process belongs to a trial. One that has ended, and waits for its parent, has no folder left.
#[cfg(target_os = "linux")]
fn is_below(id: i32, root: &Path) -> bool {
    use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

    let place = Path::new("/proc").join(id.to_string());
    let links = ["cwd", "exe"].map(|link| fs::read_link(place.join(link)));
    if links.iter().flatten().any(|path| path.starts_with(root)) {
        return true;
    }
    let environment = fs::read(place.join("environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| {
        let mut parts = variable.splitn(2, |byte| *byte == b'=');
        let value = parts.nth(1).unwrap_or_default();
        Path::new(OsStr::from_bytes(value)).starts_with(root)
    })
}

/// Returns the command line of a process, shortened.
#[cfg(target_os = "linux")]
fn command(id: i32) -> String {
    let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    let line: String = line.trim().chars().take(CHARACTERS).collect();
    if line.is_empty() {
        format!("process {id}")
    } else {
        line
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        os::unix::process::CommandExt,
        process::{Child, Command, Stdio},
    };

    use super::*;

    #[test]
    fn a_process_ends_by_its_home_its_folder_and_its_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        let other = tempfile::tempdir().expect("a folder");
        let sleep = |change: &dyn Fn(&mut Command)| -> Child {
            let mut command = Command::new("sleep");
            // In a group of its own, as a daemon is.
            command.arg("600").stdin(Stdio::null()).process_group(0);
            change(&mut command);
            let child = command.spawn().expect("started");
            // On a busy computer, the system gives the new program its command line a little later.
            let line = format!("/proc/{}/cmdline", child.id());
            while std::fs::read(&line).expect("it runs").is_empty() {
                std::thread::sleep(PAUSE);
            }
            child
        };
        let ours = [
            sleep(&|command| _ = command.env("HOME", root.join("home"))),
            sleep(&|command| _ = command.current_dir(&root)),
        ];
        let mut theirs = sleep(&|command| _ = command.env("HOME", other.path()));
        let ended = end_all(&root);
        assert_eq!(ended, ["sleep 600", "sleep 600"]);
        for mut child in ours {
            assert!(!child.wait().expect("ended").success());
        }
        assert!(theirs.try_wait().expect("a state").is_none());
        assert!(end_all(&root).is_empty());
        theirs.kill().expect("ended");
        theirs.wait().expect("ended");
    }
}
