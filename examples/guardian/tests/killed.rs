//! A guardian that is killed and started again while a server asks it about 10,000 calls.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use hooks_sdk::{
    aos::{Agent, GuardedCall, Guardian, GuardianClient, Method, Posture},
    prelude::*,
    rmcp::{
        self, ServerHandler, ServiceExt,
        handler::server::wrapper::Parameters,
        model::CallToolRequestParams,
        schemars,
        service::{RequestContext, RoleServer},
        tool, tool_handler, tool_router,
    },
};
use serde_json::{Value, json};
use tokio::{sync::Semaphore, task::spawn_blocking};

const CALLS: u64 = 10_000;
const AT_ONCE: usize = 64;

/// The longest time for one run.
const PATIENCE: Duration = Duration::from_secs(180);

const POLICY: &str = "
default: allow
rules:
  - name: forbidden
    on: [tool_call_request]
    tools: [act]
    when: args.kind = \"forbidden\"
    decision: deny
    message: this is forbidden
";

/// The guardian as a program.
struct Program(Child);

impl Program {
    /// Starts the guardian, and returns its port. It is started again while somebody else has the port, such as a connection.
    fn start(port: u16, folder: &Path) -> (Program, u16) {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let mut child = Command::new(env!("CARGO_BIN_EXE_guardian"))
                .args([
                    "--listen",
                    &format!("127.0.0.1:{port}"),
                    "--contents",
                    "--policy",
                ])
                .arg(folder.join("policy.yaml"))
                .arg("--audit")
                .arg(folder.join("audit.jsonl"))
                .stderr(Stdio::piped())
                .spawn()
                .expect("the guardian starts");
            let errors = BufReader::new(child.stderr.take().expect("a pipe"));
            let mut lines = errors.lines().map_while(Result::ok);
            let port = lines.find_map(|line| {
                let address = line.strip_prefix("listening on http://127.0.0.1:")?;
                address.strip_suffix("/aos")?.parse().ok()
            });
            // A full pipe would stop it.
            thread::spawn(move || lines.for_each(drop));
            let program = Program(child);
            if let Some(port) = port {
                return (program, port);
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("the guardian does not start");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SIGKILL: the guardian has no time to end anything.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Act {
    number: u64,
    kind: String,
}

/// A server whose one tool notes that it ran.
#[derive(Clone, Default)]
struct Desk {
    /// The execution of each number that ran.
    ran: Arc<Mutex<HashMap<u64, String>>>,
}

#[tool_router]
impl Desk {
    #[tool]
    async fn act(
        &self,
        Parameters(act): Parameters<Act>,
        cx: RequestContext<RoleServer>,
    ) -> String {
        let call = cx.extensions.get::<GuardedCall>().expect("a guarded call");
        let execution = call.ids().execution_id.clone();
        let again = self.ran.lock().unwrap().insert(act.number, execution);
        assert_eq!(again, None, "{} ran twice as {}", act.number, act.kind);
        format!("did {}", act.number)
    }
}

#[tool_handler]
impl ServerHandler for Desk {}

/// What a run left behind.
struct Run {
    ran: HashMap<u64, String>,
    /// The executions whose request the guardian allowed, by its own audit.
    approved: HashSet<String>,
    /// The executions whose request went on without a decision.
    bypassed: HashSet<String>,
    client: GuardianClient,
    answered: u64,
    failed: u64,
}

fn kind(number: u64) -> &'static str {
    match number % 3 {
        0 => "forbidden",
        _ => "fine",
    }
}

async fn run(posture: Posture) -> Run {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("policy.yaml"), POLICY).unwrap();
    let start = |port| {
        let folder = folder.path().to_owned();
        spawn_blocking(move || Program::start(port, &folder))
    };
    let (program, port) = start(0).await.unwrap();
    let bypassed = Arc::new(Mutex::new(HashSet::new()));
    let record = bypassed.clone();
    let client = Guardian::http(format!("http://127.0.0.1:{port}/aos"))
        .agent(Agent::new("desk", "desk").provider("tests", "https://example.com"))
        .circuit(5, Duration::from_millis(50))
        .on_bypass(move |bypass| {
            if bypass.method == Method::ToolCallRequest {
                record.lock().unwrap().insert(bypass.execution_id.clone());
            }
        })
        .posture(posture);
    let desk = Desk::default();
    let server = desk.clone().with_hooks().unwrap().guardian(client.clone());
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let serving = tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
    let peer = Arc::new(().serve(ours).await.unwrap());

    let mut guardian = spawn_blocking(move || (program, port));
    let began = Instant::now();
    let (answered, failed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let without = |client: &GuardianClient| client.counts().refused + client.counts().bypassed;
    let mut kills = [CALLS / 3, CALLS * 2 / 3].into_iter().peekable();
    let mut calls = Vec::new();
    for number in 0..CALLS {
        let place = places.clone().acquire_owned().await.unwrap();
        if kills.next_if_eq(&number).is_some() {
            let before = without(&client);
            drop(guardian.await.unwrap());
            // The calls under way find nobody.
            while without(&client) == before {
                assert!(
                    began.elapsed() < PATIENCE,
                    "no call noticed that the guardian is gone"
                );
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            guardian = start(port);
        }
        let (peer, answered, failed) = (peer.clone(), answered.clone(), failed.clone());
        calls.push(tokio::spawn(async move {
            let arguments = json!({"number": number, "kind": kind(number)});
            let params = CallToolRequestParams::new("act")
                .with_arguments(arguments.as_object().unwrap().clone());
            let result = peer.call_tool(params).await.expect("an answer");
            answered.fetch_add(1, Ordering::Relaxed);
            if result.is_error == Some(true) {
                failed.fetch_add(1, Ordering::Relaxed);
                // As a client does that is refused, so that the guardian is back before the calls are over.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            drop(place);
        }));
    }
    for call in calls {
        tokio::time::timeout(PATIENCE, call)
            .await
            .expect("an answer in time")
            .unwrap();
    }
    drop(guardian.await.unwrap());
    serving.abort();
    let audit = fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
    // A guardian that is killed while it writes leaves the beginning of a line. Nobody was given that decision.
    let torn = audit
        .lines()
        .filter(|line| serde_json::from_str::<Value>(line).is_err());
    assert!(torn.count() <= 3, "one torn line for each guardian at most");
    let approved = audit.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        let allowed = line["point"] == "tool_call_request" && line["decision"] == "allow";
        let execution = &line["contents"]["toolCallRequest"]["executionId"];
        allowed.then(|| execution.as_str().expect("an execution").to_owned())
    });
    Run {
        approved: approved.collect(),
        ran: std::mem::take(&mut desk.ran.lock().unwrap()),
        bypassed: std::mem::take(&mut bypassed.lock().unwrap()),
        client,
        answered: answered.load(Ordering::Relaxed),
        failed: failed.load(Ordering::Relaxed),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_runs_without_approval_while_the_posture_denies() {
    let run = run(Posture::Deny).await;
    assert_eq!(run.answered, CALLS);
    for (number, execution) in &run.ran {
        assert!(
            run.approved.contains(execution),
            "{number} was not approved"
        );
        assert_eq!(kind(*number), "fine");
    }
    let counts = run.client.counts();
    assert_eq!(counts.bypassed, 0);
    assert!(counts.refused > 0, "the guardian was away");
    assert!(run.bypassed.is_empty());
    // After each start of the guardian, calls run again.
    for third in 0..3 {
        let mut numbers = CALLS / 3 * third..CALLS / 3 * (third + 1);
        assert!(
            numbers.any(|number| run.ran.contains_key(&number)),
            "third {third}"
        );
    }
    assert!(run.failed < CALLS);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_call_that_goes_on_without_a_decision_is_recorded() {
    let run = run(Posture::Proceed).await;
    assert_eq!(run.answered, CALLS);
    for (number, execution) in &run.ran {
        let approved = run.approved.contains(execution);
        assert!(
            approved && kind(*number) == "fine" || run.bypassed.contains(execution),
            "{number} ran without a decision and without a record"
        );
    }
    let executions: HashSet<&String> = run.ran.values().collect();
    assert!(
        run.bypassed
            .iter()
            .all(|execution| executions.contains(execution))
    );
    assert!(!run.bypassed.is_empty(), "the guardian was away");
    assert_eq!(run.client.counts().refused, 0);
    // Nothing that is fine is lost.
    let fine = (0..CALLS).filter(|number| kind(*number) == "fine");
    assert!(fine.into_iter().all(|number| run.ran.contains_key(&number)));
}
