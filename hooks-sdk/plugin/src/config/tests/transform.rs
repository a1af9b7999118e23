//! The mode that only files have: it changes and never stops, and its failures count.

use super::*;
use crate::Decision;

/// Renames an argument, and denies or fails on demand.
struct Moody;

impl Plugin for Moody {
    const KIND: &'static str = "moody";
    type Config = ();

    fn new((): ()) -> Result<Moody, HookError> {
        Ok(Moody)
    }

    fn hooks() -> PluginHooks<Moody> {
        PluginHooks::new().on(point::tool_pre_invoke, |_: &Moody, call: &ToolCall, _| {
            Box::pin(async move {
                match &*call.name {
                    "deny" => Ok(Verdict::<ToolCall>::Deny(Violation::new("no"))),
                    "fail" => Err(HookError::new("broken")),
                    _ => Ok(Verdict::Modify(call.with("seen", true))),
                }
            })
        })
    }
}

#[tokio::test]
async fn it_changes_and_never_stops_and_its_failures_count() {
    for (posture, stops) in [("deny", true), ("proceed", false)] {
        let text =
            format!("plugins: [{{name: m, kind: moody, mode: transform, posture: {posture}}}]");
        let kinds = [Kind::of::<Moody>()];
        let configuration = Configuration::parse("p.yaml", &text, &kinds, &[]).unwrap();
        let chain = configuration.chain([], |chain| chain);
        for (tool, ends, decision) in [
            ("change", false, Decision::Modified),
            ("deny", false, Decision::Suppressed),
            (
                "fail",
                stops,
                if stops {
                    Decision::Failed
                } else {
                    Decision::Bypassed
                },
            ),
        ] {
            let mut contexts = Contexts::new(GlobalContext::new("1"));
            let mut call = ToolCall::new(tool, Map::new());
            let ran = chain
                .run(point::tool_pre_invoke, &mut call, &mut contexts)
                .await;
            assert_eq!(matches!(ran.end, End::Blocked(_)), ends, "{tool} {posture}");
            let steps = &contexts.record().steps;
            let [step] = &steps[..] else {
                panic!("{steps:?}");
            };
            assert_eq!(step.decision, decision, "{tool} {posture}");
            assert_eq!(call.args.contains_key("seen"), tool == "change");
        }
        assert_eq!(chain.counts("m").bypassed, u64::from(!stops));
    }
}

#[test]
fn a_rule_that_stops_nothing_is_a_mistake() {
    let text = "plugins:\n  - name: r\n    kind: deny\n    hooks: [tool_pre_invoke]\n    reason: no\n    mode: transform\n";
    let wrong = Configuration::parse("p.yaml", text, &[], &[])
        .unwrap_err()
        .to_string();
    assert!(
        wrong.contains("stops nothing in mode `transform`") && wrong.contains('6'),
        "{wrong}"
    );
}

#[test]
#[cfg(feature = "policy")]
fn a_glob_that_no_command_matches_is_named() {
    use crate::ready::RefuseCommands;

    for (glob, named) in [
        ("git commit *  --no-verify*", true),
        (" rm *", true),
        ("rm ", true),
        ("'rm' *", true),
        ("rm *", false),
        ("git push*--force*", false),
    ] {
        let text = format!(
            "plugins:\n  - name: r\n    kind: refuse_commands\n    posture: deny\n    config: {{ commands: [\"{glob}\"] }}\n"
        );
        let kinds = [Kind::of::<RefuseCommands>()];
        let configuration = Configuration::parse("p.yaml", &text, &kinds, &[]).unwrap();
        let notes: Vec<String> = configuration.notes().collect();
        assert_eq!(
            notes.iter().any(|note| note.contains("no command matches")),
            named,
            "{glob}: {notes:?}"
        );
    }
}
