//! Our chain: hooks that do nothing, a condition on an argument, and many rules.

use criterion::{BenchmarkId, Criterion};
use hooks_sdk::{
    core::condition::Condition,
    plugin::{Chain, Contexts, End, GlobalContext, PluginHook, ToolCall, point},
};

const GROUP: &str = "hooks-sdk";

/// Hooks that do nothing, in the mode that may deny and modify.
pub fn hooks(criterion: &mut Criterion) {
    for hooks in crate::HOOKS {
        let nothing = |at| {
            PluginHook::answering_any(format!("hook_{at}"), point::tool_pre_invoke, |_, _| {
                Box::pin(async {})
            })
        };
        measure(criterion, hooks, Chain::new((0..hooks).map(nothing)));
    }
}

/// One hook that stands at calls with another path, and 100 rules for other tools and other arguments.
pub fn rules(criterion: &mut Criterion) {
    let condition = condition(r#"args.path = "/etc/**""#);
    let one = rule("one").when(condition);
    measure(criterion, "a condition on an argument", Chain::new([one]));
    measure(criterion, "100 rules", Chain::new((0..100).map(mixed)));
}

/// Rules as people write them: for other tools, for this tool and other paths, and for members of other kinds.
fn mixed(at: usize) -> PluginHook {
    let rule = rule(format!("rule_{at}"));
    match at % 4 {
        0 => rule.items(&["delete_*"]),
        1 => rule
            .items(&["read_*"])
            .when(condition(r#"args.path = "/etc/**""#)),
        2 => rule.when(condition("args.limit = 1000..")),
        _ => rule.unless(condition(r#"args.path = prefix("/srv/data/")"#)),
    }
}

fn rule(id: impl Into<std::borrow::Cow<'static, str>>) -> PluginHook {
    PluginHook::deny(id, point::tool_pre_invoke, "forbidden")
}

fn condition(text: &str) -> Condition {
    Condition::parse(text).expect("a condition")
}

fn measure(criterion: &mut Criterion, name: impl ToString, chain: Chain) {
    let mut group = criterion.benchmark_group(GROUP);
    group.bench_function(BenchmarkId::from_parameter(name.to_string()), |bench| {
        let call = || {
            let call = ToolCall::new("read_file", crate::args());
            (call, Contexts::new(GlobalContext::new("1")))
        };
        bench.iter_custom(|rounds| {
            crate::timed(rounds, call, async |(mut call, mut contexts)| {
                let point = point::tool_pre_invoke;
                let ran = chain.run(point, &mut call, &mut contexts).await;
                assert!(matches!(ran.end, End::Allowed));
            })
        });
    });
}
