use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "AppEmpty", text = "Hello.", app = "")]
struct AppEmpty;

#[guidance::hook(session, start, requirement = MAY, name = "ConfigGivenTwice", text = "Hello.", config(debug = true, "debug" = false))]
struct ConfigGivenTwice;

#[guidance::hook(session, start, requirement = MAY, name = "IdMalformed", text = "Hello.", id = "Some_Words")]
struct IdMalformed;

#[guidance::hook(session, start, requirement = MAY, name = "", text = "Hello.")]
struct NameEmpty;

/// Gives tips.
#[guidance::hook(session, start, requirement = MAY, name = "SkillIdMalformed", id = "a--b", text = "Read.", skill = true)]
struct SkillIdMalformed;

#[guidance::hook(session, start, requirement = MAY, name = "SkillUndescribed", text = "Read.", skill = true)]
struct SkillUndescribed;

#[guidance::hook(session, start, requirement = MAY, name = "StorageEmpty", text = "Hello.", storage())]
struct StorageEmpty;

#[guidance::hook(session, start, requirement = MAY, name = "TagsGivenTwice", text = "Hello.", tags("a", "b", "a"))]
struct TagsGivenTwice;

#[guidance::hook(session, start, requirement = MAY, name = "TextMissingForTheId", id = "some-words")]
struct TextMissingForTheId;

#[guidance::hook(session, start, requirement = MAY, name = "TextOverABudget", text_file = "../dirs/text_over_a_budget/tips.txt")]
struct TextOverABudget;

// No client's hooks send it: the server adds it to the result, which has no such limit.
#[guidance::hook(action, cancel, requirement = MAY, name = "TextOverABudget", text_file = "../dirs/text_over_a_budget/tips.txt")]
struct Cancelled;

#[guidance::hook(session, start, requirement = MAY, name = "ToolOfASession", text = "Hello.", tool = "store_*")]
struct ToolOfASession;

#[guidance::hook(requirement = MAY, name = "TypeAndLifecycleMissing", text = "Hello.")]
struct TypeAndLifecycleMissing;

#[guidance::hook(start, session, requirement = MAY, name = "TypeAndLifecycleSwapped", text = "Hello.")]
struct TypeAndLifecycleSwapped;

fn main() {}
