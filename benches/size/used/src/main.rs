//! The same server with a use of each feature of hooks-sdk that is on, as an author's program has it.

use hooks_sdk::{Hooked, prelude::*};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};

type Failure = Box<dyn std::error::Error>;

struct Server;

#[tool_router]
impl Server {
    /// Says hello.
    #[tool]
    async fn hello(&self) -> String {
        "hello".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Server {}

#[lifecycle::hook(session_end, strength = suggestion, text = "Is there something worth a note?")]
struct LastCall;

#[cfg(feature = "guidance")]
#[guidance::hook(session, start, requirement = MUST, name = "Greeting", text = "Call hello first.", server = Server)]
struct Greeting;

#[cfg(feature = "policy-engine")]
#[plugin::hook(tool_pre_invoke, tool = "hello", unless(args.path = inside("/srv")), deny = "only below /srv", server = Server)]
struct OnlyBelow;

#[cfg(feature = "guardian-local")]
struct Policy;

#[cfg(feature = "guardian-local")]
#[hooks_sdk::hooks]
impl Policy {
    #[aos::hook(tool_call_request)]
    async fn calls(
        &self,
        call: &hooks_sdk::aos::ToolCallRequest,
    ) -> hooks_sdk::core::Verdict<hooks_sdk::aos::ToolCallRequest> {
        match call.tool_id.as_str() {
            "hello" => hooks_sdk::core::Verdict::Allow,
            _ => hooks_sdk::core::Verdict::Deny(hooks_sdk::core::Violation::new("no such tool")),
        }
    }
}

#[cfg(feature = "mcpl")]
/// Greets before each inference
#[mcpl::feature_set("size.greeting", server = Server)]
struct Greetings;

#[cfg(feature = "mcpl")]
#[hooks_sdk::hooks]
impl Server {
    #[mcpl::hook(before_inference, feature_set = Greetings, inject(before_user))]
    async fn greet(&self, turn: &BeforeInference) -> Option<Injection> {
        let message = turn.user_message.as_deref()?;
        Some(Injection::new(
            "greeting",
            Position::BeforeUser,
            message.to_owned(),
        ))
    }
}

#[cfg(any(feature = "sqlite", feature = "redis", feature = "postgres"))]
#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Open))]
    New,
    #[stage(allow(any))]
    Open,
}

/// Adds to the server what the features offer.
async fn settled(hooked: Hooked<Server>) -> Result<Hooked<Server>, Failure> {
    #[cfg(feature = "include_dir")]
    let hooked = {
        let folder = hooks_sdk::guidance::Folder::of_dir(&hooks_sdk::guidance::Dir::new("", &[]))?;
        hooked.guidance(Guidance::new().folder(folder))
    };
    #[cfg(feature = "finder")]
    for finding in hooks_sdk::plugin::finder::find(&std::env::var("HELLO").unwrap_or_default()) {
        println!("{finding:?}");
    }
    #[cfg(feature = "policy")]
    let hooked = {
        use hooks_sdk::plugin::{Instance, ready};
        let policy = hooks_sdk::Policy::new()
            .with(Instance::of(
                ready::RateLimit::new().per_minute(60).tool("hello"),
            ))
            .with(Instance::of(ready::Confirm::new().tool("delete_*")))
            .with(Instance::of(ready::Redact::new()));
        hooked.policy(policy)
    };
    #[cfg(feature = "log")]
    let hooked = {
        use hooks_sdk::log::{DecisionLog, Posture};
        hooked.log(DecisionLog::to("decisions.jsonl", Posture::Deny))
    };
    #[cfg(feature = "guardian-client")]
    let hooked = hooked.guardian(
        hooks_sdk::aos::Guardian::http("http://127.0.0.1:8787/aos")
            .agent(agent())
            .posture(hooks_sdk::aos::Posture::Deny),
    );
    #[cfg(all(feature = "guardian-local", not(feature = "guardian-client")))]
    let hooked = hooked.guardian(
        hooks_sdk::aos::Guardian::local(Policy)
            .agent(agent())
            .posture(hooks_sdk::aos::Posture::Deny),
    );
    #[cfg(feature = "sqlite")]
    let hooked = hooked.sessions(Sessions::of::<Stage>().store(
        hooks_sdk::store::SqliteStore::open(std::path::Path::new("sessions.db"))?,
    ));
    #[cfg(feature = "redis")]
    let hooked = hooked.sessions(
        Sessions::of::<Stage>()
            .store(hooks_sdk::store::RedisStore::connect("redis://127.0.0.1").await?),
    );
    #[cfg(feature = "postgres")]
    let hooked = hooked.sessions(
        Sessions::of::<Stage>()
            .store(hooks_sdk::store::PostgresStore::connect("postgres://127.0.0.1/size").await?),
    );
    Ok(hooked)
}

#[cfg(any(feature = "guardian-local", feature = "guardian-client"))]
fn agent() -> hooks_sdk::aos::Agent {
    hooks_sdk::aos::Agent::new("size", "Size").provider("Example", "https://example.com")
}

#[cfg(not(feature = "cli"))]
#[tokio::main]
async fn main() -> Result<(), Failure> {
    let server = settled(Server.with_hooks()?).await?;
    #[cfg(feature = "guardian-server")]
    hooks_sdk::http::GuardianServer::new(hooks_sdk::aos::Guardian::of(Policy))
        .serve("127.0.0.1:8787")
        .await?;
    #[cfg(feature = "clients")]
    for client in hooks_sdk::clients::ALL {
        if let Ok(seen) = hooks_sdk::clients::read_input(client, None, &["size"], b"{}") {
            println!("{}", client.answer(&seen, "hello"));
        }
    }
    #[cfg(feature = "testing")]
    if std::env::args().len() > 1 {
        let host = hooks_sdk::testing::TestHost::connect(server).await?;
        println!("{:?}", host.call_tool("hello", Default::default()).await);
        return Ok(());
    }
    #[cfg(feature = "oauth")]
    {
        let login = hooks_sdk::http::OAuth::new("https://mcp.example.com/mcp")
            .issuer("https://login.example.com");
        hooks_sdk::http::Server::new(server)
            .oauth(login)
            .serve("127.0.0.1:8080")
            .await?;
    }
    #[cfg(all(feature = "http", not(feature = "oauth")))]
    hooks_sdk::http::Server::new(server)
        .serve("127.0.0.1:8080")
        .await?;
    #[cfg(not(feature = "http"))]
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}

#[cfg(feature = "cli")]
fn main() -> std::process::ExitCode {
    _ = settled;
    hooks_sdk::cli::Program::new("size", || Ok(Server)).main()
}
