//! A host that follows what it is told has the server's state, whatever both do.

use std::path::PathBuf;

use hooks_sdk::mcpl::{
    Checkpoints, Given, RollbackError, RollbackRequest, checkpoints::CheckpointError,
    wire::StateChange,
};
use proptest::{collection::vec, prelude::*, sample::Index, string::string_regex};
use serde_json::{Map, Value, json};

use super::host::{Carries, Host, Kind};

#[derive(Clone, Debug)]
enum Step {
    /// A tool changes the state.
    Call(Carries, Edit, Telling),
    /// The host goes back with the server.
    Rollback(Index),
    /// The host goes back by itself.
    Switch(Index),
    /// The server is started again, if it has a file.
    Restart,
}

#[derive(Clone, Debug)]
enum Edit {
    Set(String, Value),
    Remove(Index),
    Push(Value),
    TakeOut(Index),
    Replace(Value),
    Nothing,
}

#[derive(Clone, Copy, Debug)]
enum Telling {
    Change,
    Data,
    Nothing,
}

impl Edit {
    fn apply(self, state: &mut Value) {
        match (self, state) {
            (Edit::Replace(value), state) => *state = value,
            (Edit::Set(key, value), Value::Object(members)) => {
                members.insert(key, value);
            }
            (Edit::Remove(which), Value::Object(members)) if !members.is_empty() => {
                let key = members.keys().nth(which.index(members.len()));
                let key = key.expect("a member").clone();
                members.remove(&key);
            }
            (Edit::Push(value), Value::Object(members)) => {
                let list = members.entry("list").or_insert_with(|| json!([]));
                match list {
                    Value::Array(items) => items.push(value),
                    other => *other = json!([value]),
                }
            }
            (Edit::TakeOut(which), Value::Object(members)) => {
                if let Some(Value::Array(items)) = members.get_mut("list")
                    && !items.is_empty()
                {
                    items.remove(which.index(items.len()));
                }
            }
            _ => {}
        }
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text("\\PC{0,6}").prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((keys(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Read once: a pattern that is itself the strategy is read anew for each text.
fn text(pattern: &str) -> impl Strategy<Value = String> + use<> {
    string_regex(pattern).expect("a pattern")
}

fn keys() -> impl Strategy<Value = String> {
    prop_oneof![text("[ab~/]{0,2}"), text("-|0|1|list"), text("\\PC{0,3}")]
}

fn edits() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => (keys(), values()).prop_map(|(key, value)| Edit::Set(key, value)),
        2 => any::<Index>().prop_map(Edit::Remove),
        4 => values().prop_map(Edit::Push),
        3 => any::<Index>().prop_map(Edit::TakeOut),
        1 => values().prop_map(Edit::Replace),
        1 => Just(Edit::Replace(json!({}))),
        1 => Just(Edit::Nothing),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let carried = vec![
        Carries::Nothing,
        Carries::State,
        Carries::Checkpoint,
        Carries::Both,
        Carries::Stranger,
        Carries::OwnState,
        Carries::OwnStateAt,
    ];
    let telling = prop_oneof![
        6 => Just(Telling::Change),
        1 => Just(Telling::Data),
        2 => Just(Telling::Nothing),
    ];
    let call = (prop::sample::select(carried), edits(), telling)
        .prop_map(|(carries, edit, telling)| Step::Call(carries, edit, telling));
    let step = prop_oneof![
        10 => call,
        2 => any::<Index>().prop_map(Step::Rollback),
        2 => any::<Index>().prop_map(Step::Switch),
        1 => Just(Step::Restart),
    ];
    vec(step, 1..60)
}

fn runs() -> impl Strategy<Value = (Kind, usize, Vec<Step>)> {
    let kinds = prop::sample::select(vec![Kind::Tree, Kind::Current]);
    (kinds, prop::sample::select(vec![2, 7, 1000]), steps())
}

fn open(file: Option<&PathBuf>, keep: usize) -> Checkpoints<Value> {
    let tree = match file {
        Some(file) => Checkpoints::sqlite(file, "tree", json!({})).unwrap(),
        None => Checkpoints::in_memory(json!({})),
    };
    tree.keep(keep)
}

async fn follow(file: Option<&PathBuf>, kind: Kind, keep: usize, steps: Vec<Step>) {
    let mut tree = open(file, keep);
    let mut host = Host::new(kind);
    for step in steps {
        match step {
            Step::Call(carries, edit, telling) => {
                call(&tree, &mut host, carries, edit, telling).await;
            }
            Step::Rollback(to) if !host.checkpoints.is_empty() => {
                let to = to.get(&host.checkpoints).clone();
                match tree.rollback(&RollbackRequest::new("set", &*to)).await {
                    Ok(()) => host.go(&to, true),
                    Err(RollbackError::NotFound { checkpoint }) => assert_eq!(checkpoint, to),
                    Err(other) => panic!("{other}"),
                }
            }
            Step::Switch(to) if !host.checkpoints.is_empty() => {
                let to = to.get(&host.checkpoints).clone();
                host.go(&to, false);
            }
            Step::Restart if file.is_some() => tree = open(file, keep),
            _ => {}
        }
    }
}

/// As [`follow`], on a connection of its own, while another commits to the same tree before each call.
async fn follow_among_others(kind: Kind, keep: usize, steps: Vec<Step>) {
    let shared = open(None, keep);
    let tree = shared.for_connection();
    let mut host = Host::new(kind);
    for step in steps {
        let mut others = shared.at(&Given::nothing()).await.unwrap();
        *others = json!({"another's": true});
        others.commit().await.unwrap();
        match step {
            Step::Call(carries, edit, telling) => {
                call(&tree, &mut host, carries, edit, telling).await;
            }
            Step::Rollback(to) if !host.checkpoints.is_empty() => {
                let to = to.get(&host.checkpoints).clone();
                if tree
                    .rollback(&RollbackRequest::new("set", &*to))
                    .await
                    .is_ok()
                {
                    host.go(&to, true);
                }
            }
            Step::Switch(to) if !host.checkpoints.is_empty() => {
                let to = to.get(&host.checkpoints).clone();
                host.go(&to, false);
            }
            _ => {}
        }
        let own = tree.at(&Given::nothing()).await.unwrap();
        assert_eq!(own.get("another's"), None);
    }
}

async fn call(
    tree: &Checkpoints<Value>,
    host: &mut Host,
    carries: Carries,
    edit: Edit,
    telling: Telling,
) {
    let given = host.given(carries);
    let mut state = tree.at(&given).await.unwrap();
    let stale = match tree.clone().refuse_unknown().at(&given).await {
        Ok(_) => false,
        Err(CheckpointError::NotFound { checkpoint }) => {
            assert_eq!(Some(checkpoint), given.checkpoint);
            true
        }
        Err(other) => panic!("{other}"),
    };
    if stale {
        let head = tree.at(&Given::nothing()).await.unwrap();
        assert_eq!((&*state, state.parent()), (&*head, head.parent()));
    } else if let Some(sent) = &given.state {
        assert_eq!(*state, *sent, "what the call works on");
    } else if let Some(known) = host.state() {
        assert_eq!(*state, *known, "what the call works on");
    }
    let change = matches!(telling, Telling::Change);
    edit.apply(&mut state);
    let expected = state.clone();
    let update = match telling {
        Telling::Change => state.commit().await,
        Telling::Data => state.commit_data().await,
        Telling::Nothing => state.commit_opaque().await,
    };
    let update = update.unwrap();
    if change && stale {
        assert!(matches!(update.change, StateChange::Data(_)), "{update:?}");
    }
    let checkpoint = update.checkpoint.clone();
    host.hear(update, &given);
    match telling {
        Telling::Nothing => assert_eq!(host.state(), None),
        _ => assert_eq!(host.state(), Some(&expected)),
    }
    let kept = tree.at(&Given::checkpoint(checkpoint)).await.unwrap();
    assert_eq!(*kept, expected);
}

fn run(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn in_memory((kind, keep, steps) in runs()) {
        run(follow(None, kind, keep, steps));
    }

    #[test]
    fn among_others((kind, keep, steps) in runs()) {
        run(follow_among_others(kind, keep, steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn in_a_file((kind, keep, steps) in runs()) {
        let folder = tempfile::tempdir().unwrap();
        run(follow(Some(&folder.path().join("state.db")), kind, keep, steps));
    }
}
