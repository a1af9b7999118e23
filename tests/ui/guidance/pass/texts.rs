use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Beside")]
struct WordsBeside;

#[guidance::hook(session, start, requirement = MAY, name = "Named after the tag", id = "other-words")]
struct ByTag;

#[guidance::hook(session, start, requirement = MAY, name = "Named", text_file = "words/named.md")]
struct Named;

#[guidance::hook(session, start, requirement = MAY, name = "Joined", text = "One line\nand another.")]
struct Inline;

#[test]
fn is_accepted() {
    let text = |hook: hooks_sdk::core::Hook| {
        let input = hook
            .detail::<guidance::GuidanceHook>()
            .unwrap()
            .input()
            .clone();
        input.text.unwrap().to_string()
    };
    assert_eq!(text(WordsBeside::hook()), "Words beside the source.\n");
    assert_eq!(text(ByTag::hook()), "Other words.\n");
    assert_eq!(text(Named::hook()), "Named words.\n");
    assert_eq!(text(Inline::hook()), "One line\nand another.");
}
