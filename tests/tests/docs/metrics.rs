//! Each metric that the source counts is described to recorders and to readers.

use std::{collections::BTreeSet, fs};

use hooks_sdk::core::observe::describe_metrics;
use metrics_util::debugging::DebuggingRecorder;
use proc_macro2::{TokenStream, TokenTree};

use crate::architecture::{root, rust_files};

/// Adds the names of the metrics in these tokens, each behind the word of its kind: `counter!("a.b", …)`.
fn read(tokens: TokenStream, found: &mut BTreeSet<(String, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for at in 0..tokens.len() {
        let TokenTree::Group(group) = &tokens[at] else {
            continue;
        };
        read(group.stream(), found);
        let [TokenTree::Ident(kind), TokenTree::Punct(mark)] = &tokens[at.saturating_sub(2)..at]
        else {
            continue;
        };
        let kind = kind.to_string();
        if mark.as_char() != '!' || !["counter", "gauge", "histogram"].contains(&&*kind) {
            continue;
        }
        let name = group.stream().into_iter().next();
        let name = name.map(|name| name.to_string()).unwrap_or_default();
        let name = name
            .strip_prefix('"')
            .and_then(|name| name.strip_suffix('"'));
        let name = name.unwrap_or_else(|| panic!("the name of a {kind} is no literal"));
        found.insert((kind, name.to_owned()));
    }
}

#[test]
fn each_metric_of_the_source_has_a_unit_a_description_and_a_line_in_the_book() {
    let mut found = BTreeSet::new();
    for file in rust_files(&root().join("hooks-sdk")) {
        let source = fs::read_to_string(&file).expect("a readable file");
        read(source.parse().expect("Rust source"), &mut found);
    }
    assert!(found.len() >= 10, "the scan finds {found:?}");
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        describe_metrics();
        for (kind, name) in &found {
            match &**kind {
                "counter" => metrics::counter!(name.clone()).increment(1),
                "gauge" => metrics::gauge!(name.clone()).set(1.0),
                _ => metrics::histogram!(name.clone()).record(1.0),
            }
        }
    });
    let page = root().join("docs/src/reference/spans.md");
    let page = fs::read_to_string(page).expect("a page");
    let all = snapshots.snapshot().into_vec();
    assert_eq!(all.len(), found.len());
    for (key, unit, description, _) in all {
        let name = key.key().name();
        assert!(unit.is_some(), "`{name}` has no unit, or another kind");
        assert!(description.is_some(), "`{name}` has no description");
        assert!(
            page.contains(&format!("| `{name}` |")),
            "the book lacks `{name}`"
        );
    }
}
