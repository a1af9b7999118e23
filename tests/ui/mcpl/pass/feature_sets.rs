use hooks_sdk::{
    mcpl::{Derived, FeatureSet, McplHook, Scoped, Sends, sender, sender::Sender},
    prelude::*,
};

struct Memory;
struct Other;

/// Recalls,
/// and pushes.
#[mcpl::feature_set(
    "memory.all",
    sends(push, inference, model_info, register),
    optional(incoming),
    scoped
)]
pub struct All;

#[mcpl::feature_set("later", description = "Comes later.", sends(incoming), later, server = Memory)]
pub(crate) struct Later;

/// Described otherwise.
#[mcpl::feature_set("A-1_b.c", description = "So.", optional(push), rollback)]
#[derive(Clone, Copy)]
struct Notes;

#[mcpl::hook(rollback, feature_set = Notes)]
async fn roll_back(_memory: &Memory) {}

#[mcpl::hook(channels_open, feature_set = Notes)]
async fn open(_memory: &Memory) -> mcpl::ChannelDescriptor {
    mcpl::ChannelDescriptor::new("a", "b", "c", mcpl::Direction::Outbound)
}

mod below {
    use hooks_sdk::mcpl::feature_set;

    /// In a module.
    #[feature_set("below", sends(push))]
    pub(super) struct Below;
}

fn sends<F: Sends<sender::push> + Sends<sender::incoming> + Scoped>() -> &'static str {
    F::DEFINITION.name
}

#[test]
fn is_accepted() {
    assert_eq!(sends::<All>(), All::NAME);
    assert_eq!(All::DEFINITION.description, "Recalls,\nand pushes.");
    let senders = [
        Sender::Push,
        Sender::Inference,
        Sender::ModelInfo,
        Sender::Register,
    ];
    assert_eq!(All::DEFINITION.sends, senders);
    assert_eq!(All::DEFINITION.optional, [Sender::Incoming]);
    assert!(Later::DEFINITION.later && !Later::DEFINITION.scoped);
    assert_eq!(Notes::DEFINITION.description, "So.");
    assert!(Notes::DEFINITION.rollback);
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(mcpl::problems(&registry), []);
    let names = |registry| {
        let sets = Derived::of(&registry);
        sets.sets()
            .map(|set| set.definition().name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(registry), ["A-1_b.c", "below", "later", "memory.all"]);
    // Those that nothing names belong to every server.
    assert_eq!(
        names(crate::collected::<Other>(file!()).unwrap()),
        ["below", "memory.all"]
    );
    let entry = below::Below::hook();
    assert_eq!(
        entry.detail::<McplHook>().unwrap().definition().name,
        "below"
    );
    assert!(!Later::hook().owner().includes::<All>());
}
