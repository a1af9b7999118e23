//! What a gate costs: the whole process beside `/bin/true`, and a call in each client on the `PATH`.
//!
//! `cargo bench -p hooks-sdk --features cli,policy --bench gates` prints both. The program that the clients start is this one.

use std::{
    env, fs,
    io::Write,
    path::Path,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use cargo_hooks::prove::{Play, StandIn, Trial, launch, listen};
use hooks_sdk::{
    cli::Program,
    clients::{ALL, Client, GateEntries, InstallScope, Installation},
    core::{Registry, condition::Condition},
    plugin::{PluginHook, agent_tool_kind, point, posture},
    rmcp::ServerHandler,
    server::{Collected, Policy},
};

struct Quiet;

impl ServerHandler for Quiet {}

/// How many rules the program has.
const RULES: usize = 100;
/// How many processes of each kind are started.
const PROCESSES: usize = 300;
/// How many calls a client makes in a run, and how many runs each case has.
const CALLS: usize = 12;
const RUNS: usize = 3;
/// The variable with the policy file, in place of the rules of the program.
const FILE: &str = "GATES_POLICY";

fn main() -> ExitCode {
    // Cargo gives options only. A client that starts a server here gets an error, and not the measurement.
    if env::args()
        .nth(1)
        .is_some_and(|word| !word.starts_with('-'))
    {
        return program().main();
    }
    processes();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(clients());
    ExitCode::SUCCESS
}

fn program() -> Program<Quiet> {
    let program = Program::new("gates", || Err("a gate needs no server".into()));
    let from_file = env::var_os(FILE);
    let count = if from_file.is_some() { 0 } else { RULES };
    let program = program.collected(move || {
        let rules = (0..count).map(|number| {
            let condition = format!("commands[*] = \"tool-{number} *\"");
            PluginHook::deny(format!("rule_{number}"), point::agent_tool_pre_invoke, "no")
                .kinds(&[agent_tool_kind::shell])
                .when(Condition::parse(&condition).expect("a condition"))
                .posture(posture::deny)
        });
        let registry = rules.fold(Registry::builder(), |all, rule| all.add(rule.into()));
        Collected::of(registry.build()?)
    });
    match from_file {
        Some(file) => program.policy(Policy::new().file(file)),
        None => program,
    }
}

fn policy() -> String {
    let rule = |number| {
        format!(
            "  - name: rule_{number}\n    kind: deny\n    hooks: [agent_tool_pre_invoke]\n    kinds: [shell]\n    \
             posture: deny\n    when: 'commands[*] = \"tool-{number} *\"'\n    reason: no\n"
        )
    };
    let rules: String = (0..RULES).map(rule).collect();
    format!("plugins:\n{rules}")
}

/// Returns the time in milliseconds below which a half of the times are.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn took(mut command: Command, input: &str) -> f64 {
    let begun = Instant::now();
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = child.spawn().expect("it starts");
    _ = child
        .stdin
        .take()
        .expect("it is piped")
        .write_all(input.as_bytes());
    child.wait_with_output().expect("it ends");
    begun.elapsed().as_secs_f64() * 1e3
}

fn processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    fs::write(&file, policy()).expect("written");
    let own = env::current_exe().expect("this program");
    let input = r#"{"tool_name":"Bash","tool_input":{"command":"cd src && cargo test --workspace | tail -n 20"},"cwd":"/"}"#;
    let gate = |file: Option<&Path>| {
        let mut command = Command::new(&own);
        command.args([
            "hooks",
            "fire",
            "--client",
            "claude-code",
            "--event",
            "agent_tool_pre_invoke",
        ]);
        command.envs(file.map(|file| (FILE, file)));
        command
    };
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..PROCESSES {
        times[0].push(took(Command::new("/bin/true"), ""));
        times[1].push(took(gate(None), input));
        times[2].push(took(gate(Some(&file)), input));
    }
    let [nothing, rules, from_file] = times.map(median);
    eprintln!("| process | p50 | over `/bin/true` |\n|---|---|---|");
    for (what, time) in [
        ("`/bin/true`", nothing),
        ("`hooks fire`, 100 rules of the program", rules),
        ("`hooks fire`, 100 rules of a policy file", from_file),
    ] {
        eprintln!("| {what} | {time:.1} ms | {:.1} ms |", time - nothing);
    }
}

/// Returns the times between the requests of a run.
async fn gaps(client: &Client, gates: Option<&GateEntries>) -> Option<Vec<f64>> {
    let until = Instant::now() + Duration::from_secs(120);
    let listener = listen(0).await.ok()?;
    let trial = Trial::new("gates", listener.local_addr().ok()?.port()).ok()?;
    let launch = launch(client, &trial)?;
    trial.prepare(&launch.files, until).await.ok()?;
    if let Some(gates) = gates {
        let own = env::current_exe().ok()?;
        let place = trial.place();
        let to = Installation {
            gates: Some(gates),
            ..Installation::new("gates", InstallScope::User, &place, "gates", &own)
        };
        to.plan(client, false).apply(&trial.data()).ok()?;
    }
    let plays = (0..CALLS)
        .map(|number| Play::Shell(format!("true {number}")))
        .collect();
    let stand_in = StandIn::serve(listener, launch.dialect, plays, None);
    let mut started = Command::new(client.program);
    let variables = launch.env.iter().map(|(name, value)| (name, value));
    started.args(&launch.arguments).envs(variables);
    trial
        .output(client.name, &mut started, b"", until)
        .await
        .ok()?;
    let log = stand_in.log();
    let times = log
        .times
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64 / 1e6);
    // The first call is slower in each case.
    Some(times.skip(1).collect())
}

async fn clients() {
    let path = env::var_os("PATH").unwrap_or_default();
    eprintln!("\n| client | no hook | unmatched gate | gate | added |\n|---|---|---|---|---|");
    for client in ALL.into_iter().filter(|client| client.gates.is_some()) {
        let mut folders = env::split_paths(&path);
        if !folders.any(|folder| folder.join(client.program).is_file()) {
            eprintln!("| {} | not on the `PATH` | | | |", client.title);
            continue;
        }
        let all = GateEntries::closed();
        let mut other = GateEntries::closed();
        other.kinds = vec!["fetch"];
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..RUNS {
            for (at, gates) in [None, Some(&other), Some(&all)].into_iter().enumerate() {
                times[at].extend(gaps(client, gates).await.unwrap_or_default());
            }
        }
        let [none, unmatched, gate] = times.map(median);
        eprintln!(
            "| {} | {none:.0} ms | {unmatched:.0} ms | {gate:.0} ms | {:.0} ms |",
            client.title,
            gate - none
        );
    }
}
