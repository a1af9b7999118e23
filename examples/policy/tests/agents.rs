//! An agent that is refused `delete_file` tries `rm`, in each client that is on the `PATH`: both calls are refused with their
//! sentences. In a project without these rules, both calls run.

use std::{
    env, fs,
    process::Command,
    time::{Duration, Instant},
};

use hooks_sdk::{
    clients::{ALL, Client},
    prove::{Play, Requests, StandIn, Trial, listen},
};
use serde_json::json;

const KEPT: &str = "kept/report.txt";
const BY_THE_SERVER: &str = "files below `kept` stay where they are";
const BY_THE_GATE: &str =
    "files are deleted by the tool `delete_file` only, because it asks the user first";

/// What turns the rules of the program off.
const WITHOUT: &str = "hooks:
  - { id: kept_files, disabled: true }
  - { id: confirm_deletion, disabled: true }
  - { id: no_deletion_in_the_shell, disabled: true }
";

/// What the model read, and what is left.
#[derive(Debug, PartialEq)]
struct Seen {
    refused_by_the_server: bool,
    refused_by_the_gate: bool,
    tool_ran: bool,
    shell_ran: bool,
}

async fn run(client: &dyn Client, has_rules: bool) -> Seen {
    let until = Instant::now() + Duration::from_secs(180);
    let listener = listen(0).await.unwrap();
    let trial = Trial::new("policy", listener.local_addr().unwrap().port()).unwrap();
    let launch = client.launch(&trial).unwrap();
    trial.prepare(&launch.files, until).await.unwrap();
    let file = trial.project().join(KEPT);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "a report\n").unwrap();
    if !has_rules {
        let folder = trial.home().join(".config/policy-server");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("policy.yaml"), WITHOUT).unwrap();
    }
    let mut install = Command::new(env!("CARGO_BIN_EXE_policy-server"));
    install.args(["hooks", "install", "--client", client.name()]);
    let (installed, _) = trial
        .output("install", &mut install, b"", until)
        .await
        .unwrap();
    assert_eq!(installed.problem(), None, "{}", trial.errors("install"));

    let plays = vec![
        Play::Tool {
            server: "policy".to_owned(),
            tool: "delete_file".to_owned(),
            arguments: json!({ "path": KEPT }),
        },
        Play::Shell(format!("rm {KEPT}")),
    ];
    let stand_in = StandIn::serve(listener, launch.dialect, plays, None);
    let mut started = Command::new(client.program());
    let variables = launch.env.iter().map(|(name, value)| (name, value));
    started.args(&launch.arguments).envs(variables);
    let name = client.name();
    let (ended, _) = trial.output(name, &mut started, b"", until).await.unwrap();
    let log = stand_in.log();
    assert!(
        log.done,
        "{name}: {:?}, {:?}, {}",
        ended.problem(),
        log.untaken,
        trial.errors(name)
    );
    let told = Requests::of(&log.requests);
    Seen {
        refused_by_the_server: told.has(BY_THE_SERVER),
        refused_by_the_gate: told.has(BY_THE_GATE),
        tool_ran: told.has(&format!("deleted {KEPT}")),
        shell_ran: !file.exists(),
    }
}

#[tokio::test]
async fn the_shell_is_no_way_around_the_server_in_real_clients() {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_there = |client: &&dyn Client| {
        let mut folders = env::split_paths(&path);
        folders.any(|folder| folder.join(client.program()).is_file())
    };
    for client in ALL {
        // Cursor and Antigravity have no gates.
        if client.capabilities().gates.is_none() {
            continue;
        }
        if !is_there(&client) {
            eprintln!("skipped: `{}` is not on the PATH", client.program());
            continue;
        }
        let refused = Seen {
            refused_by_the_server: true,
            refused_by_the_gate: true,
            tool_ran: false,
            shell_ran: false,
        };
        assert_eq!(run(client, true).await, refused, "{}", client.name());
        let ran = Seen {
            refused_by_the_server: false,
            refused_by_the_gate: false,
            tool_ran: true,
            shell_ran: true,
        };
        assert_eq!(run(client, false).await, ran, "{}", client.name());
        eprintln!(
            "{}: refused with the rules, and ran without them",
            client.title()
        );
    }
}
