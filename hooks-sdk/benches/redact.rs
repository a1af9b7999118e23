//! The finder over 10 KB: text without a finding, as most results are, and text with many.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hooks_sdk::plugin::finder::{find, redact};

const SIZE: usize = 10_000;

/// Prose, code and JSON as tools return them, with words that labels begin with, hashes, numbers and addresses.
const CLEAN: &str = r#"The server reads its configuration once, and every request passes the same checks.
The access list names the tools that a session may call; a token limit of 4096 is the default, and the password is required.
fn main() -> Result<(), Error> { let mut total = 0; for (index, item) in items.iter().enumerate() { total += index * item.len(); } }
{"id": "123e4567-e89b-12d3-a456-426614174000", "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8", "count": 1203, "tags": ["a", "b"]}
2026-11-22T17:11:57Z INFO request finished in 12.5 ms, status 200, path /v1/items?page=2, host https://example.org:8080/shop
Shipping takes two days. There is a code for every country, and the key to a good result is a short question about one thing.
"#;

const SECRET: &str = "user kim@example.org, password: hunter2, key sk-proj-abcdefgh12345678abcdefgh, card 4111 1111 1111 1111, \
    IBAN DE89 3704 0044 0532 0130 00, call +49 30 123456, token ghp_0123456789abcdefghijABCDEFGHIJ012345\n";

fn repeated(unit: &str) -> String {
    let mut text = unit.repeat(SIZE / unit.len() + 1);
    text.truncate(SIZE);
    text
}

fn redaction(criterion: &mut Criterion) {
    let clean = repeated(CLEAN);
    assert_eq!(find(&clean), []);
    let prose = repeated(
        "Most of what a tool returns is plain text, in sentences like this one, without any number. ",
    );
    assert_eq!(find(&prose), []);
    let dirty = repeated(&format!("{CLEAN}{SECRET}"));
    let secrets = repeated(SECRET);
    assert!(find(&dirty).len() > 50);
    let mut group = criterion.benchmark_group("redact 10 KB");
    group.throughput(Throughput::Bytes(SIZE as u64));
    for (name, text) in [
        ("clean", &clean),
        ("prose", &prose),
        ("dirty", &dirty),
        ("nothing but secrets", &secrets),
    ] {
        group.bench_function(name, |bencher| bencher.iter(|| redact(text, &find(text))));
    }
    group.finish();
}

criterion_group!(benches, redaction);
criterion_main!(benches);
