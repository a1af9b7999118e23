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

/// The tools that rules are about. The tenth of them is the one that is called.
const TOOLS: [&str; 10] = [
    "delete_*", "write_*", "move_*", "send_*", "pay", "deploy_*", "query_*", "fetch_*", "run_*",
    "read_*",
];

/// One rule, and a hundred: ten for each of ten tools, and all of them for every tool.
pub fn rules(criterion: &mut Criterion) {
    let one = Chain::new([rule(0)]);
    measure(criterion, "a condition on an argument", one);
    let of_tools = |at: usize| rule(at).items(&[TOOLS[at % TOOLS.len()]]);
    let of_tools = Chain::new((0..100).map(of_tools));
    measure(criterion, "100 rules for ten tools", of_tools);
    let of_all = Chain::new((0..100).map(rule));
    measure(criterion, "100 rules for every tool", of_all);
}

/// A rule for calls with other arguments.
fn rule(at: usize) -> PluginHook {
    let rule = PluginHook::deny(format!("rule_{at}"), point::tool_pre_invoke, "forbidden");
    match at / TOOLS.len() % 3 {
        0 => rule.when(condition(r#"args.path = "/etc/**""#)),
        1 => rule.when(condition("args.limit = 1000..")),
        _ => rule.unless(condition(r#"args.path = prefix("/srv/data/")"#)),
    }
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
