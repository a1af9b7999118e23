//! One condition on an argument's path, and a hundred of them, as rules test them at each call.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hooks_sdk::core::condition::{Condition, Subject};
use serde_json::{Value, json};

fn tests(c: &mut Criterion) {
    let args = json!({
        "path": "/srv/data/reports/2026/november.md", "count": 50, "user": { "id": "alice" },
        "items": [{ "path": "/srv/a" }, { "path": "/srv/b" }, { "path": "/srv/c" }],
    });
    let Value::Object(args) = &args else {
        return;
    };
    let look = |root: &str| (root == "args").then_some(Subject::Object(args));
    let mut group = c.benchmark_group("condition");
    for text in [
        r#"args.path = "/etc/**""#,
        r#"args.path = "*/secret/*.md""#,
        r#"args.path = inside("/srv/data")"#,
        r#"args.path = matches("^/srv/[a-z]+/")"#,
        "args.count = 10..=100",
        r#"args.user.id = ["bob", "carol", "alice"]"#,
        r#"args.items[*].path = inside("/srv")"#,
        r#"not(args.path = inside("/srv/data")), args.count = 100.."#,
    ] {
        let condition = Condition::parse(text).expect("a condition");
        group.bench_function(text, |b| b.iter(|| condition.holds(black_box(&look))));
    }
    let rules: Vec<Condition> = (0..100)
        .map(|at| Condition::parse(&format!("args.path = \"/etc/{at}/**\"")).expect("a condition"))
        .collect();
    group.bench_function("100 rules", |b| {
        b.iter(|| rules.iter().any(|rule| rule.holds(black_box(&look))));
    });
}

criterion_group!(benches, tests);
criterion_main!(benches);
