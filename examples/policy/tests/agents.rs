//! An agent that is refused `delete_file` tries `rm`, in each client that is on the `PATH`: both calls are refused with their
//! sentences. In a project without these rules, both calls run.

use std::{
    env, fs,
    process::Command,
    time::{Duration, Instant},
};

use cargo_hooks::prove::{Play, Requests, StandIn, Trial, launch, listen};
use hooks_sdk::clients::{ALL, Client};
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

/// A way by which an agent moves.
const AFTER_CD: &str = "a `cd` before";

/// A path of the project that no call may name, beside the rules of the program.
const PROTECTED: &str = "plugins:
  - name: reports
    kind: protect_paths
    posture: deny
    config: { paths: [kept/report.txt] }
";

/// What the model read, and what is left.
#[derive(Debug, PartialEq)]
struct Seen {
    refused_by_the_server: bool,
    refused_by_the_gate: bool,
    tool_ran: bool,
    shell_ran: bool,
}

/// Lets the client's model take these steps in a project with the file, and returns the model's requests and whether the file is left.
async fn play(client: &Client, policy: Option<&str>, plays: Vec<Play>) -> (Requests, bool) {
    let until = Instant::now() + Duration::from_secs(180);
    let listener = listen(0).await.unwrap();
    let trial = Trial::new("policy", listener.local_addr().unwrap().port()).unwrap();
    let launch = launch(client, &trial).unwrap();
    trial.prepare(&launch.files, until).await.unwrap();
    let file = trial.project.join(KEPT);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "a report\n").unwrap();
    if let Some(policy) = policy {
        let folder = trial.home.join(".config/policy-server");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("policy.yaml"), policy).unwrap();
    }
    let mut install = Command::new(env!("CARGO_BIN_EXE_policy-server"));
    install.args(["hooks", "install", "--client", client.name]);
    let (installed, _) = trial
        .output("install", &mut install, b"", until)
        .await
        .unwrap();
    assert_eq!(installed.problem(), None, "{}", trial.errors("install"));

    let stand_in = StandIn::serve(listener, launch.dialect, plays, None);
    let mut started = Command::new(client.program);
    let variables = launch.env.iter().map(|(name, value)| (name, value));
    started.args(&launch.arguments).envs(variables);
    let name = client.name;
    let (ended, _) = trial.output(name, &mut started, b"", until).await.unwrap();
    let log = stand_in.log();
    assert!(
        log.done,
        "{name}: {:?}, {:?}, {}",
        ended.problem(),
        log.untaken,
        trial.errors(name)
    );
    (Requests::of(&log.requests), file.exists())
}

async fn run(client: &Client, has_rules: bool) -> Seen {
    let plays = vec![
        Play::Tool {
            server: "policy".to_owned(),
            tool: "delete_file".to_owned(),
            arguments: json!({ "path": KEPT }),
        },
        Play::Shell(format!("rm {KEPT}")),
    ];
    let policy = (!has_rules).then_some(WITHOUT);
    let (told, is_left) = play(client, policy, plays).await;
    Seen {
        refused_by_the_server: told.has(BY_THE_SERVER),
        refused_by_the_gate: told.has(BY_THE_GATE),
        tool_ran: told.has(&format!("deleted {KEPT}")),
        shell_ran: !is_left,
    }
}

/// The clients with gates that are on the `PATH`.
fn clients() -> Vec<&'static Client> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut clients = Vec::new();
    for client in ALL {
        // A client that was not run has no gates.
        if client.gates.is_none() {
            continue;
        }
        if env::split_paths(&path).any(|folder| folder.join(client.program).is_file()) {
            clients.push(client);
        } else {
            eprintln!("skipped: `{}` is not on the PATH", client.program);
        }
    }
    clients
}

#[tokio::test]
async fn the_shell_is_no_way_around_the_server_in_real_clients() {
    for client in clients() {
        let refused = Seen {
            refused_by_the_server: true,
            refused_by_the_gate: true,
            tool_ran: false,
            shell_ran: false,
        };
        assert_eq!(run(client, true).await, refused, "{}", client.name);
        let ran = Seen {
            refused_by_the_server: false,
            refused_by_the_gate: false,
            tool_ran: true,
            shell_ran: true,
        };
        assert_eq!(run(client, false).await, ran, "{}", client.name);
        eprintln!(
            "{}: refused with the rules, and ran without them",
            client.title
        );
    }
}

/// Steps that move the file from within its folder: by a `cd` in a step before, and by an argument of the client's own tool.
fn moves(client: &Client) -> Vec<(&'static str, Vec<Play>)> {
    const MOVE: &str = "mv report.txt gone.txt";
    let own = |tool: &str, arguments| Play::Own {
        tool: tool.to_owned(),
        arguments,
    };
    let by_argument = match client.name {
        "codex" => Some(own(
            "exec_command",
            json!({ "cmd": MOVE, "workdir": "kept" }),
        )),
        "gemini" => Some(own(
            "run_shell_command",
            json!({ "command": MOVE, "dir_path": "kept" }),
        )),
        "opencode" => Some(own(
            "bash",
            json!({ "command": MOVE, "description": "moves", "workdir": "kept" }),
        )),
        _ => None,
    };
    let after_cd = vec![
        Play::Shell("cd kept".to_owned()),
        Play::Shell(MOVE.to_owned()),
    ];
    let by_argument = by_argument.map(|play| ("an argument", vec![play]));
    [(AFTER_CD, after_cd)]
        .into_iter()
        .chain(by_argument)
        .collect()
}

#[tokio::test]
async fn a_path_is_protected_wherever_the_agent_has_moved() {
    for client in clients() {
        let title = client.title;
        for (way, plays) in moves(client) {
            let (_, stays) = play(client, None, plays.clone()).await;
            if stays {
                // Not every client keeps the shell in which a step ran. An argument moves the agent in each that has one.
                assert_eq!(way, AFTER_CD, "{title}: the control did not run");
                eprintln!("{title}: {way} does not move the agent");
                continue;
            }
            let (told, is_left) = play(client, Some(PROTECTED), plays).await;
            assert!(is_left && told.has("is protected"), "{title}: {way}");
            eprintln!("{title}: refused after {way}, and ran without the rule");
        }
    }
}
