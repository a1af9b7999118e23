//! `hooks list`: lists the hooks by event.

use futures::executor::block_on;
use serde_json::json;

#[cfg(feature = "policy-engine")]
use super::plugins;
use super::{CommandError, Program, declared, options::OutputFormat, print};
use crate::{
    guidance::{McpFeature, McpFeatures},
    lifecycle::{Declaration, Event, HookContent},
    server::{Collected, Declared, ServerHandler},
};

/// Returns all features, so that no hook is left out for an unknown client.
pub(super) fn all_features() -> McpFeatures {
    McpFeature::ALL.iter().copied().collect()
}

pub(super) fn run<H: ServerHandler>(
    program: &Program<H>,
    format: OutputFormat,
) -> Result<(), CommandError> {
    let hooks = program.hooks()?;
    let declared = block_on(hooks.declared(all_features(), None));
    if format.json {
        let each = declared
            .iter()
            .map(|each| json!({ "hooks": each.hooks, "declaration": each.declaration }));
        #[cfg(feature = "policy-engine")]
        let each = each.chain(policy_as_json(&hooks)?);
        let others = elsewhere(&hooks).into_iter();
        let each = each.chain(
            others.map(|(hook, at, why)| json!({ "hooks": [hook], "at": at, "not_declared": why })),
        );
        #[cfg(feature = "guardian-local")]
        let each = each.chain(super::steps::json(hooks.registry()));
        return print::json(&each.collect::<Vec<_>>());
    }
    let page = match declared.is_empty() {
        true => "This server has no hooks that a client can fire.".to_owned(),
        false => block_on(page(&hooks, &declared)),
    };
    let pages = [
        page,
        others(&hooks),
        #[cfg(feature = "policy-engine")]
        policy(program, &hooks)?,
        #[cfg(feature = "guardian-local")]
        super::steps::page(hooks.registry()),
    ];
    let pages: Vec<String> = pages.into_iter().filter(|page| !page.is_empty()).collect();
    print::text(&pages.join("\n\n"))
}

/// Returns the hooks that no agent client fires: each with its point, and how it reaches an agent.
fn elsewhere<H: ServerHandler>(hooks: &Collected<H>) -> Vec<(String, &'static str, String)> {
    let declared = block_on(hooks.declared(all_features(), None));
    let is_declared = |id: &str| {
        declared
            .iter()
            .any(|each| each.hooks.iter().any(|hook| hook == id))
    };
    let guidance = hooks.guidance_moments().into_iter();
    let guidance = guidance.filter(|(id, _)| !is_declared(id));
    let mut all: Vec<(String, &'static str, String)> = guidance
        .map(|(id, moment)| {
            let written = block_on(hooks.guidance_hook(&id));
            let is_made = written.is_some_and(|hook| hook.text.is_none());
            let why = match (is_made, moment.as_str()) {
                (true, "session_start") => "a function makes its text when it fires",
                (true, _) => {
                    "a function makes its text, which reaches agents with results and prompts"
                }
                (false, _) => "it reaches agents with results and prompts",
            };
            (id, moment.as_str(), why.to_owned())
        })
        .collect();
    #[cfg(feature = "mcpl")]
    for (_, hook) in hooks.registry().details::<crate::mcpl::McplHook>() {
        if let Some(at) = hook.at() {
            let set = hook.definition().name;
            let why = format!("MCPL hosts ask it, in the feature set `{set}`");
            all.push((hook.id().to_owned(), at.as_str(), why));
        }
    }
    for skill in hooks.skills() {
        let why = "it is a skill, which agents read as a resource".to_owned();
        all.push((skill.name().to_owned(), "skill", why));
    }
    all
}

/// Describes the hooks that no agent client fires.
fn others<H: ServerHandler>(hooks: &Collected<H>) -> String {
    let mut points: Vec<(&'static str, Vec<String>)> = Vec::new();
    for (hook, at, why) in elsewhere(hooks) {
        let line = format!("  {hook}\n    {why}");
        match points.iter_mut().find(|(point, _)| *point == at) {
            Some((_, lines)) => lines.push(line),
            None => points.push((at, vec![line])),
        }
    }
    let points = points.into_iter();
    print::sections(points.map(|(at, lines)| (format!("{at} (no client fires it)"), lines)))
}

/// Returns the plugin hooks by point.
#[cfg(feature = "policy-engine")]
fn policy<H: ServerHandler>(
    program: &Program<H>,
    hooks: &Collected<H>,
) -> Result<String, CommandError> {
    let (chain, file) = plugins::chain(hooks)?;
    let place = |hook: &crate::plugin::PluginHook| Some(plugins::place(hook, file.as_ref()));
    let mut page = plugins::page(&chain, place);
    let lists = plugins::lists(hooks, file.as_ref());
    for warning in plugins::warnings(program, &chain, &lists) {
        page.push_str(&format!("\nwarning: {warning}"));
    }
    Ok(page)
}

#[cfg(feature = "policy-engine")]
fn policy_as_json<H: ServerHandler>(
    hooks: &Collected<H>,
) -> Result<Vec<serde_json::Value>, CommandError> {
    let (chain, _) = plugins::chain(hooks)?;
    let each = chain.hooks();
    let each = each.map(|hook| json!({ "hooks": [hook.id()], "plugin": plugins::json(hook) }));
    Ok(each.collect())
}

/// Returns the hooks by event.
async fn page<H: ServerHandler>(hooks: &Collected<H>, declared: &[Declared]) -> String {
    let mut events = Vec::new();
    for event in Event::ALL {
        let mut lines = Vec::new();
        for each in declared {
            if each.declaration.event.known() == Some(&event) {
                lines.extend(entries(hooks, each).await);
            }
        }
        events.push((event.to_string(), lines));
    }
    print::sections(events)
}

/// Describes a declaration for people: an entry for each of its hooks.
async fn entries<H: ServerHandler>(hooks: &Collected<H>, declared: &Declared) -> Vec<String> {
    let declaration = &declared.declaration;
    let condition = condition(declaration);
    let mut entries = Vec::new();
    for id in &declared.hooks {
        let written = hooks.guidance_hook(id).await;
        let strength = match &written {
            Some(hook) => hook.level.to_string(),
            None => declaration.strength.to_string(),
        };
        let what = match (&written, &declaration.content) {
            (Some(hook), _) => gist(Some(&hook.name), hook.text.as_deref()),
            (None, HookContent::Context(text)) => gist(None, Some(text)),
            (None, HookContent::ContextTool { name, .. }) => format!("asks the tool `{name}`"),
            (None, _) => String::new(),
        };
        entries.push(format!("  {id} ({strength}){condition}\n    {what}"));
    }
    entries
}

/// Describes the matcher of a declaration.
fn condition(declaration: &Declaration) -> String {
    let conditions = declared::condition(declaration);
    conditions.map_or_else(String::new, |given| format!(", when {given}"))
}

/// Returns the heading and the first sentence of a text; the hook's own name is the heading of a text without one.
fn gist(name: Option<&str>, text: Option<&str>) -> String {
    let (heading, sentence) = text.map(print::gist).unwrap_or_default();
    let sentence = match text {
        Some(_) => sentence,
        None => "the text is made when the hook fires".to_owned(),
    };
    match heading.or(name) {
        Some(heading) if sentence.is_empty() => heading.to_owned(),
        Some(heading) => format!("{heading}: {sentence}"),
        None => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::tests::Notes,
        core::Registry,
        guidance::{GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
        lifecycle::{self, Matcher, point, strength},
    };

    #[test]
    fn each_hook_has_an_entry_of_its_own_below_its_event() {
        let guidance = |lifecycle, tag: &'static str, name: &'static str, level, text: &str| {
            let input = HookInput::new(HookType::Session, lifecycle, tag, name, level);
            core_hook(GuidanceHook::new(input.text(text)))
        };
        let commit = lifecycle::LifecycleHook::text(
            "after_commit",
            point::post_tool_use,
            strength::suggestion,
            "You committed. Go on.",
        );
        let commit = commit.matcher(Matcher::new().tool_name("Bash"));
        let (must, may) = (RequirementLevel::Must, RequirementLevel::May);
        let registry = Registry::builder()
            .add(guidance(
                Lifecycle::End,
                "bye",
                "Bye",
                may,
                "# Leave\n\nSay bye.",
            ))
            .add(core_hook(commit))
            .add(guidance(
                Lifecycle::Start,
                "open",
                "Open",
                must,
                "Open it first. Then read.",
            ))
            .add(guidance(
                Lifecycle::Start,
                "read",
                "Read",
                must,
                "Read `all` of it!",
            ));
        let hooks = Collected::<Notes>::of(registry.build().unwrap()).unwrap();
        let declared = block_on(hooks.declared(all_features(), None));
        let expected = "session_start
  mcp-toolkit:session:start:open (MUST)
    Open: Open it first.
  mcp-toolkit:session:start:read (MUST)
    Read: Read `all` of it!

session_end
  mcp-toolkit:session:end:bye (MAY)
    Leave: Say bye.

post_tool_use
  after_commit (suggestion), when tool_name = \"Bash\"
    You committed.";
        assert_eq!(block_on(page(&hooks, &declared)), expected);
    }

    fn core_hook(hook: impl Into<crate::core::Hook>) -> crate::core::Hook {
        hook.into()
    }
}

#[cfg(all(test, feature = "mcpl"))]
mod elsewhere_tests {
    use super::*;
    use crate::{
        cli::desk::Desk,
        core::Registry,
        guidance::{GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
        mcpl::{self, Definition, FeatureSet, McplHook},
    };

    struct Reminders;

    impl FeatureSet for Reminders {
        const DEFINITION: Definition = Definition::new("desk.reminders", "Reminds of things.");
    }

    fn input(at: Lifecycle, tag: &'static str) -> HookInput {
        HookInput::new(HookType::Session, at, tag, "A hook", RequirementLevel::May)
            .description("What it is for.")
    }

    #[test]
    fn hooks_that_no_client_fires_are_listed_with_the_way_on_which_they_reach_an_agent() {
        let made = |at: Lifecycle, tag| {
            GuidanceHook::answering_any(input(at, tag), |_| {
                Box::pin(async { "A text.".to_owned() })
            })
        };
        let reminds = McplHook::answering_any::<Reminders, _, _>(
            "reminds",
            mcpl::point::after_inference,
            |_, _| Box::pin(async {}),
        );
        let skill = input(Lifecycle::Start, "tidy").text("Tidy up.");
        let registry = Registry::builder()
            .add(made(Lifecycle::Start, "made").into())
            .add(made(Lifecycle::End, "late").into())
            .add(reminds.into())
            .add(GuidanceHook::new(skill).skill().into());
        let hooks = Collected::<Desk>::of(registry.build().unwrap()).unwrap();
        let all = elsewhere(&hooks);
        let why = |part: &str, at: &str| {
            let mut found = all.iter().filter(|(_, point, _)| *point == at);
            let found = found.find(|(id, ..)| id.contains(part));
            found.map_or("", |(.., why)| why.as_str())
        };
        assert!(
            why("made", "session_start").contains("a function makes its text"),
            "{all:?}"
        );
        assert!(
            why("late", "session_end").contains("results and prompts"),
            "{all:?}"
        );
        assert!(
            why("reminds", "after_inference").contains("`desk.reminders`"),
            "{all:?}"
        );
        assert!(
            why("tidy", "skill").contains("agents read as a resource"),
            "{all:?}"
        );
        let page = others(&hooks);
        assert!(
            all.iter().all(|(id, ..)| page.contains(id.as_str())),
            "{page}"
        );
    }
}
