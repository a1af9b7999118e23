//! Collecting, checking and freezing 10,000 linked text hooks with one matcher each.

use criterion::{Criterion, criterion_group, criterion_main};
use hooks_sdk::{
    __private::{CoreHook, Submission, inventory},
    collect,
    lifecycle::{LifecycleHook, Matcher, point, strength},
};
use rmcp::ServerHandler;

struct Server;

impl ServerHandler for Server {}

/// What the attribute leaves for the linker, once for each four digits.
macro_rules! submit {
    (@tens $all:tt $($a:tt)*) => { $(submit!(@hundreds $all $all $a);)* };
    (@hundreds [$($b:tt)*] $all:tt $a:tt) => { $(submit!(@thousands $all $all $a $b);)* };
    (@thousands [$($c:tt)*] $all:tt $a:tt $b:tt) => { $(submit!(@each $all $a $b $c);)* };
    (@each [$($d:tt)*] $a:tt $b:tt $c:tt) => { $(
        inventory::submit! {
            Submission { make: || hook(concat!("hook_", $a, $b, $c, $d)) }
        }
    )* };
}

submit!(@tens [0 1 2 3 4 5 6 7 8 9] 0 1 2 3 4 5 6 7 8 9);

fn hook(id: &'static str) -> CoreHook {
    let text = "You just committed work. What did you learn that a later session should know?";
    LifecycleHook::text(id, point::post_tool_use, strength::suggestion, text)
        .matcher(Matcher::new().tool_name("Bash*"))
        .into()
}

fn collecting(criterion: &mut Criterion) {
    let linked = collect::<Server>().expect("sound hooks");
    assert_eq!(linked.registry().iter().len(), 10_000);
    criterion.bench_function("collect and check 10,000 hooks", |bench| {
        bench.iter_with_large_drop(|| collect::<Server>().expect("sound hooks"));
    });
}

criterion_group!(benches, collecting);
criterion_main!(benches);
