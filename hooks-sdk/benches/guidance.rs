//! Query, load and compose over the shared data of 10, 100 and 1,000 hooks, registry built and texts loaded.

use std::{fs, path::Path};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use futures::FutureExt;
use hooks_sdk::guidance::{
    ComposedHooksResult, Composer, ContentLoader, HookInput, HookQuery, HookRegistry, McpFeature,
};
use serde_json::Value;

/// A file of `tests/vectors/bench`.
struct Data {
    registry: HookRegistry,
    loader: ContentLoader,
    query: Value,
}

impl Data {
    fn read(folder: &Path, count: usize) -> Data {
        let text =
            fs::read(folder.join(format!("guidance-{count}.json"))).expect("the shared data");
        let data: Value = serde_json::from_slice(&text).expect("JSON");
        let inputs = data["hooks"].as_array().expect("hooks").iter();
        let mut registry = HookRegistry::new();
        let inputs = inputs.map(|hook| HookInput::try_from(hook).expect("a valid hook"));
        registry
            .register_all(inputs)
            .expect("hooks of different ids");
        let files = data["files"].as_object().expect("files").iter();
        let files = files.map(|(name, text)| (name, text.as_str().expect("a text")));
        Data {
            registry,
            loader: ContentLoader::embedded(files),
            query: data["query"].clone(),
        }
    }

    fn query(&self) -> HookQuery<'_> {
        let word = |key: &str| self.query[key].as_str().expect("a word");
        let feature: McpFeature = word("feature").parse().expect("a feature");
        HookQuery::at(
            word("type").parse().expect("a type"),
            word("lifecycle").parse().expect("a lifecycle"),
        )
        .storage(word("storage"))
        .features([feature])
        .config(self.query["config"].as_object().expect("a configuration"))
    }

    fn compose(&self, query: &HookQuery<'_>, composer: &Composer) -> ComposedHooksResult {
        let hooks = self.registry.query(query);
        let loaded = self
            .loader
            .load_all(&hooks)
            .now_or_never()
            .expect("texts that are kept");
        composer.compose(&loaded.resolved)
    }
}

fn guidance(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/bench");
    let expected = fs::read(folder.join("expected.json")).expect("the shared data");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    let plain = Composer::new();
    let shielded = Composer::new().shielded(true);
    for count in [10, 100, 1000] {
        let data = Data::read(&folder, count);
        let query = data.query();
        let length = data.compose(&query, &plain).content.len();
        assert_eq!(
            expected["composed_bytes"][count.to_string()],
            length,
            "not the reference's text"
        );

        let mut group = criterion.benchmark_group("guidance");
        group.bench_function(BenchmarkId::new("query", count), |bench| {
            bench.iter(|| data.registry.query(&query));
        });
        let hooks = data.registry.query(&query);
        group.bench_function(BenchmarkId::new("load", count), |bench| {
            bench.iter(|| data.loader.load_all(&hooks).now_or_never());
        });
        let loaded = data
            .loader
            .load_all(&hooks)
            .now_or_never()
            .expect("texts that are kept");
        group.bench_function(BenchmarkId::new("compose", count), |bench| {
            bench.iter(|| plain.compose(&loaded.resolved));
        });
        group.bench_function(BenchmarkId::new("query + load + compose", count), |bench| {
            bench.iter(|| data.compose(&query, &plain));
        });
        group.bench_function(BenchmarkId::new("the same, shielded", count), |bench| {
            bench.iter(|| data.compose(&query, &shielded));
        });
        group.finish();
    }
}

criterion_group!(benches, guidance);
criterion_main!(benches);
