//! Skills in a folder.

use hooks_sdk::guidance::{self, GuidanceHook, Skill};

struct Memory;

guidance::dir!("guidance/dirs/skills", skills, server = Memory);

/// Gives tips.
#[guidance::hook(session, end, requirement = MAY, name = "Tips", text = "Read.", skill = true, server = Memory)]
struct Tips;

#[guidance::hook(session, end, requirement = MAY, name = "No Skill", text = "Read.", skill = false, server = Memory)]
struct NoSkill;

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(guidance::problems(&registry), []);
    assert_eq!(guidance::differences(), [""; 0]);
    let skill = registry.get("skill:tidy-notes").unwrap();
    assert_eq!(
        skill.origin().file,
        "guidance/dirs/skills/tidy-notes/SKILL.md"
    );
    let skill = skill.detail::<Skill>().unwrap();
    assert_eq!(
        (skill.name(), skill.description()),
        ("tidy-notes", "Merges notes.")
    );
    assert_eq!(skill.others()["metadata"]["version"], "1.0");
    let files: Vec<&str> = skill.files().iter().map(|file| &*file.path).collect();
    assert_eq!(files, ["SKILL.md", "references/merging rules.md"]);
    let is_skill = |id| {
        registry
            .get(id)
            .unwrap()
            .detail::<GuidanceHook>()
            .unwrap()
            .is_skill()
    };
    assert!(is_skill("session:start:welcome") && is_skill("session:end:tips"));
    assert!(!is_skill("session:end:no-skill"));
}
