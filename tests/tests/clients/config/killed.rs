//! Installations that are killed: no file is ever half written, and the next installation works.

use std::{
    env, fs,
    io::{self, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use hooks_sdk::clients::{
    InstallScope,
    config::{HookEntry, InstallationKey, Plan, Record, ServerEntry, command_line},
};
use serde_json::json;

use super::desk::{Desk, value};

/// Tells a process of this binary where it is to install until it is killed, and which server.
const HOME: &str = "HOOKS_TESTS_HOME";
const SERVER: &str = "HOOKS_TESTS_SERVER";

const SERVERS: [&str; 2] = ["notes", "tasks"];
const ROUNDS: u64 = 100;

/// What a process says once it installs: before that there is nothing to interrupt.
const BEGUN: u8 = b'!';

fn data(home: &Path, server: &str) -> PathBuf {
    home.join("data").join(server)
}

fn plugin(home: &Path, server: &str) -> PathBuf {
    home.join(format!(".client/plugins/{server}-hooks.js"))
}

/// The same plugin of two versions of the program.
fn code(home: &Path, server: &str, version: usize) -> String {
    let program = home.join("bin").join(server);
    let command = json!([program, "hooks", "fire", "--id", server]);
    let lines = format!("// {version}\n").repeat(2000);
    format!("const COMMAND = {command}\n{lines}")
}

fn key(home: &Path, server: &str) -> InstallationKey {
    InstallationKey::new(server, "client", InstallScope::User, home)
}

fn plan(home: &Path, server: &str, version: usize) -> Plan {
    let program = home.join("bin").join(server);
    let folder = home.join(".client");
    let plan = Plan::new(key(home, server), &program);
    let plan = ["Start", "Stop"].iter().fold(plan, |plan, event| {
        let command = command_line(
            &program,
            &["hooks", "fire", "--event", event, "--id", server],
        );
        plan.hook(HookEntry {
            file: folder.join("settings.json"),
            event: (*event).to_owned(),
            value: json!({"hooks": [{"command": command}]}),
        })
    });
    let plan = plan.own_file(plugin(home, server), code(home, server, version));
    plan.server(ServerEntry {
        file: folder.join("config.toml"),
        path: vec!["mcp_servers".to_owned()],
        name: server.to_owned(),
        value: json!({"command": program, "args": ["serve"]}),
    })
}

fn uninstall(home: &Path, server: &str) {
    let record = Record::find(&data(home, server), &key(home, server));
    if let Some(record) = record.expect("a readable record") {
        record.uninstall().expect("uninstalled");
    }
}

/// The work of a process that is killed; nothing where no process was told to do it.
#[test]
fn install_until_killed() {
    let (Some(home), Ok(server)) = (env::var_os(HOME), env::var(SERVER)) else {
        return;
    };
    let home = PathBuf::from(home);
    let mut stdout = io::stdout();
    stdout.write_all(&[BEGUN]).expect("written");
    stdout.flush().expect("written");
    for round in 0_usize.. {
        let plan = plan(&home, &server, round % 2);
        plan.apply(&data(&home, &server)).expect("installed");
        if round % 4 == 3 {
            uninstall(&home, &server);
        }
    }
}

fn start(home: &Path, server: &str) -> Child {
    let started = Command::new(env::current_exe().expect("this binary"))
        .args(["--exact", "config::killed::install_until_killed"])
        .env(HOME, home)
        .env(SERVER, server)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut process = started.expect("started");
    let stdout = BufReader::new(process.stdout.take().expect("piped"));
    assert!(stdout.bytes().any(|byte| byte.expect("read") == BEGUN));
    process
}

#[test]
fn files_are_whole_whenever_an_installation_is_killed() {
    let desk = Desk::with("{\n  // mine\n  \"a\": 1\n}\n");
    desk.write(&desk.toml(), "a = 1 # mine\n");
    let home = &desk.home;
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for round in 0..ROUNDS {
        let mut processes = SERVERS.map(|server| start(home, server));
        for process in &mut processes {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            thread::sleep(Duration::from_micros(random % 12_000));
            process.kill().expect("killed");
            // It would have gone on for ever: an end of its own is a failed installation.
            let end = process.wait().expect("waited for");
            assert_eq!(end.code(), None, "round {round}");
        }
        let (settings, toml) = (desk.read(&desk.settings()), desk.read(&desk.toml()));
        assert_eq!(value(&settings)["a"], 1, "round {round}: {settings}");
        assert!(settings.contains("// mine"), "round {round}: {settings}");
        toml.parse::<toml_edit::DocumentMut>().expect("valid TOML");
        assert!(toml.starts_with("a = 1 # mine\n"), "round {round}: {toml}");
        for server in SERVERS {
            let whole = [0, 1].map(|version| code(home, server, version));
            let found = fs::read_to_string(plugin(home, server));
            assert!(found.is_err() || whole.contains(&found.expect("readable")));
        }
        if round % 10 == 0 {
            installs_again(&desk);
        }
    }
    installs_again(&desk);
    SERVERS.iter().for_each(|server| uninstall(home, server));
    assert_eq!(value(&desk.read(&desk.settings()))["a"], 1);
    assert!(!desk.read(&desk.settings()).contains("hooks fire"));
    assert!(!desk.read(&desk.toml()).contains("mcp_servers"));
    for server in SERVERS {
        assert!(!plugin(home, server).exists());
    }
}

fn installs_again(desk: &Desk) {
    for server in SERVERS {
        let plan = plan(&desk.home, server, 0);
        plan.apply(&data(&desk.home, server))
            .expect("installed again");
        let settings = fs::read_to_string(desk.settings()).expect("readable");
        let guard = format!("bin/{server}' || exit 0");
        assert_eq!(settings.matches(&guard).count(), 2, "{settings}");
        let table = format!("[mcp_servers.{server}]");
        assert_eq!(desk.read(&desk.toml()).matches(&table).count(), 1);
    }
}
