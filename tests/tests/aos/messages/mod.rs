//! Whole messages of MCP that a guardian sees, and what becomes of them.

mod desk;
mod form;
mod order;
mod peer;
mod policy;
mod refused;
mod rows;
mod turns;

use std::time::Duration;

use hooks_sdk::{
    Collected, Hooked,
    aos::{Agent, Guardian, GuardianClient, Messages, Posture},
    core::Registry,
};
use hooks_tests::client::peer::Kind;

use self::{desk::Desk, peer::Peer, policy::Policy};

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// Too short a time for an answer that a test holds back.
const SHORT: Duration = Duration::from_millis(300);

fn agent() -> Agent {
    Agent::new("desk", "Desk").provider("Example", "https://example.com")
}

/// A client of the policy that sees every message.
fn guardian(policy: &Policy) -> GuardianClient<()> {
    let registry = Registry::builder().add(policy.hook().into());
    let registry = policy::steps()
        .into_iter()
        .fold(registry, |registry, hook| registry.add(hook.into()));
    let registry = registry.build().expect("sound hooks");
    Guardian::local_with(Guardian::with((), registry))
        .agent(agent())
        .timeout(PATIENCE)
        .messages(Messages::Both)
}

fn hooked(desk: &Desk, client: GuardianClient) -> Hooked<Desk> {
    let none = Registry::builder().build().expect("no hooks");
    let collected = Collected::of(none).expect("sound hooks");
    collected
        .guardian(client)
        .wrap(desk.clone())
        .expect("sound settings")
}

/// A guarded server, with a client of each generation on each transport.
async fn peers(
    policy: &Policy,
    settings: impl Fn(GuardianClient<()>) -> GuardianClient<()>,
    posture: Posture,
) -> Vec<(Desk, GuardianClient, Peer)> {
    let mut peers = Vec::new();
    for kind in Kind::ALL {
        let desk = Desk::default();
        let client = settings(guardian(policy)).posture(posture);
        let peer = Peer::of(kind, hooked(&desk, client.clone())).await;
        peers.push((desk, client, peer));
    }
    peers
}
