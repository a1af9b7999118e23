//! The shared benchmark data composes to the very bytes of the reference implementation.

use std::{fs, path::Path};

use hooks_sdk::guidance::{
    Composer, ContentLoader, HookInput, HookQuery, HookRegistry, McpFeature, Rules,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn read(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/bench");
    serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
}

#[tokio::test]
async fn the_digests_are_the_references() {
    let expected = read("expected.json");
    for count in ["10", "100", "1000"] {
        let data = read(&format!("guidance-{count}.json"));
        let mut registry = HookRegistry::new();
        let hooks = data["hooks"].as_array().unwrap().iter();
        let hooks = hooks.map(|hook| HookInput::try_from(hook).unwrap());
        registry.register_all(hooks).unwrap();
        let files = data["files"].as_object().unwrap().iter();
        let files = files.map(|(name, text)| (name, text.as_str().unwrap()));
        let loader = ContentLoader::embedded(files);
        let asked = &data["query"];
        let word = |key: &str| asked[key].as_str().unwrap();
        let moment = (
            word("type").parse().unwrap(),
            word("lifecycle").parse().unwrap(),
        );
        let query = HookQuery::at(moment.0, moment.1)
            .storage(word("storage"))
            .features([word("feature").parse::<McpFeature>().unwrap()])
            .config(asked["config"].as_object().unwrap());
        for rules in [Rules::Document, Rules::Reference] {
            let loaded = loader.load_all(&registry.query(&query.rules(rules))).await;
            let content = Composer::new().compose(&loaded.resolved).content;
            assert_eq!(expected["composed_bytes"][count], content.len());
            let digest = Sha256::digest(&content);
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(expected["composed_sha256"][count], digest);
        }
    }
}
