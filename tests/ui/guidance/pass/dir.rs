//! Folders of texts.

use hooks_sdk::guidance::{self, McpFeature, RequirementLevel};
use serde_json::json;

struct Memory;
struct Other;

guidance::dir!("guidance/dirs/good", server = Memory);

mod elsewhere {
    hooks_sdk::guidance::dir!("./guidance/dirs/folder_of_hooks/", server = super::Other,);
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(
        ids,
        ["notes:action:start:take-care", "session:start:welcome"]
    );
    assert_eq!(guidance::problems(&registry), []);
    assert_eq!(guidance::differences(), [""; 0]);

    let care = registry.get(ids[0]).unwrap();
    let origin = care.origin();
    assert_eq!(
        (origin.file, origin.line, origin.column),
        ("guidance/dirs/good/below/care.md", 1, 1)
    );
    assert!(!origin.package.is_empty());
    let input = care.detail::<guidance::GuidanceHook>().unwrap().input();
    assert_eq!(
        (input.requirement_level, input.priority),
        (RequirementLevel::MustNot, Some(-5))
    );
    assert_eq!(
        (input.text.as_deref(), input.tool.as_deref()),
        (Some("Delete nothing."), Some("delete_*"))
    );
    assert!(input.required && input.blocking);
    let conditions = input.conditions.clone().unwrap();
    assert_eq!(conditions.requires_storage.unwrap(), ["sqlite"]);
    assert_eq!(
        conditions.requires_features.unwrap(),
        [McpFeature::Sampling, McpFeature::Tools]
    );
    let config = json!({"debug": true, "limits.max": 5, "level": "verbose"});
    assert_eq!(json!(conditions.requires_config.unwrap()), config);

    let other = crate::collected::<Other>(file!()).unwrap();
    assert_eq!(other.iter().len(), 1);
    assert_eq!(
        other.get("session:start:welcome").unwrap().origin().file,
        "guidance/dirs/folder_of_hooks/welcome.md"
    );
}
