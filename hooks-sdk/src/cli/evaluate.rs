//! The evaluation of hooks at an event of a client: `fire` sends the result, and `explain` shows it.

use std::time::Instant;

use super::{CommandError, pipe::Pipe};
use crate::{
    clients::{
        Aftermath, Client, Fired, Fitting, Seen, Unfit, dump::LeftOut, fire_fitting,
        history::HookStore,
    },
    lifecycle::{Event, HookContent},
    server::{Collected, Declared, ServerHandler},
};

/// The result of an event.
pub(super) struct Evaluated {
    pub(super) fired: Fired,
    /// The declarations at the event, by the index that the report names.
    pub(super) declared: Vec<Declared>,
    /// The declarations whose texts the session still has from its start.
    pub(super) kept: Vec<Declared>,
    /// The hooks of [`declared`](Evaluated::declared) whose texts do not fit, each with the reason.
    pub(super) unfit: Vec<LeftOut>,
}

/// Leaves out single texts of composed guidance, the weakest first.
pub(super) fn shortened<H: ServerHandler>(
    hooks: &Collected<H>,
    declared: &Declared,
    fits: &dyn Fn(&str) -> bool,
) -> Option<(String, Vec<String>)> {
    let (mut taken, mut left_out) = (Vec::new(), Vec::new());
    let mut longest = None;
    // The strongest is the first.
    for part in &declared.parts {
        taken.push(part);
        let text = hooks.composed(&taken);
        if fits(&text) {
            longest = Some(text);
        } else {
            taken.pop();
            left_out.push(part.summary.id.to_string());
        }
    }
    Some((longest?, left_out))
}

/// Evaluates the hooks at an event that `client` sent; `name` is the server's name in that client. The client's patience
/// began at `began`.
pub(super) async fn evaluate<H: ServerHandler>(
    pipe: &Pipe<'_, H>,
    hooks: &Collected<H>,
    store: &HookStore,
    client: &Client,
    name: &str,
    seen: Seen,
    began: Instant,
) -> Result<Evaluated, CommandError> {
    let program = pipe.program;
    let declared = program
        .declared_at(hooks, client, seen.occasion.event)
        .await?;
    let is_kept = is_kept(&seen, client, store);
    // The transcript still has the static texts; the answer of a tool may be new.
    let (kept, declared): (Vec<Declared>, Vec<Declared>) =
        declared.into_iter().partition(|each: &Declared| {
            is_kept && !matches!(each.declaration.content, HookContent::ContextTool { .. })
        });
    let patience = client.patience(seen.occasion.event);
    let patience = patience.saturating_sub(began.elapsed());
    let (host, max_characters) = program.host(name, &declared, patience);
    let session = seen.session_id.clone();
    let may_fire = declared.iter().any(|each| {
        let matcher = each.declaration.matcher.as_ref();
        matcher.is_none_or(|matcher| matcher.matches(&seen.occasion))
    });
    if let Some(session) = session.as_deref().filter(|_| may_fire) {
        let ids: Vec<&[String]> = declared.iter().map(|each| &each.hooks[..]).collect();
        if let Err(error) = store.recall(session, &host, name, &ids) {
            tracing::warn!(%error, "earlier firings are not known");
        }
    }
    let fitting = Fitting {
        max_characters,
        shorten: &|index, fits| shortened(hooks, declared.get(index)?, fits),
    };
    let now = Instant::now();
    let fired = fire_fitting(client, seen, &host, pipe, now, &fitting).await;
    let (declared, unfit) = without(declared, &fired.unfit);
    Ok(Evaluated {
        fired,
        declared,
        kept,
        unfit,
    })
}

/// Takes the hooks whose texts do not fit out of their declarations.
fn without(mut declared: Vec<Declared>, unfit: &[Unfit]) -> (Vec<Declared>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    for each in unfit {
        let Some(of) = declared.get_mut(each.index) else {
            continue;
        };
        let hooks = match each.hooks.is_empty() {
            true => of.hooks.clone(),
            false => each.hooks.clone(),
        };
        of.hooks.retain(|hook| !hooks.contains(hook));
        let why = each.why.clone();
        left_out.push(LeftOut { hooks, why });
    }
    (declared, left_out)
}

/// Returns whether the texts of the start were sent in this session, and the client resumed it with these texts.
fn is_kept(seen: &Seen, client: &Client, store: &HookStore) -> bool {
    let resumed = seen.source.as_deref() == Some("resume");
    let keeps = client.after_start.resume == Aftermath::Kept;
    let session = seen.session_id.as_deref().filter(|_| resumed && keeps);
    session.is_some_and(|session| {
        let told = store.already_said(session, Event::SessionStart.as_str());
        told.unwrap_or(false)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{
        cli::{
            Program, doctor,
            explain::{in_client, told},
            fire::Fire,
        },
        clients,
        core::Registry,
        guidance::{GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
        lifecycle::{Event, host::ClientControls},
        server::{Collected, ServerHandler},
    };

    struct Quiet;

    impl ServerHandler for Quiet {}

    /// A program with guidance at the start of a session: each hook's id, level, and the length of its text.
    fn program(hooks: &'static [(&'static str, RequirementLevel, usize)]) -> Program<Quiet> {
        let make = || Err("a text needs no server".into());
        Program::new("quiet", make)
            .data(std::env::temp_dir().join("hooks-that-nobody-wrote"))
            .collected(move || {
                let mut registry = Registry::builder();
                for (id, level, length) in hooks {
                    let (session, start) = (HookType::Session, Lifecycle::Start);
                    let input = HookInput::new(session, start, *id, *id, *level);
                    let text = format!("{id} begins {} {id} ends", "x".repeat(*length));
                    registry = registry.add(GuidanceHook::new(input.text(text)).into());
                }
                Collected::of(registry.build()?)
            })
    }

    fn said(program: &Program<Quiet>) -> String {
        let fire = Fire::of("claude-code", Some(Event::SessionStart));
        let store = clients::history::HookStore::off();
        let (answer, _) = fire.fire(program, &store, b"{}").unwrap();
        let said: &Value = &answer["hookSpecificOutput"]["additionalContext"];
        said.as_str().unwrap_or_default().to_owned()
    }

    /// Which of the hooks the agent receives, whole.
    fn sent(program: &Program<Quiet>) -> Vec<&'static str> {
        let said = said(program);
        let names = ["first", "second", "third", "fourth"];
        let is_whole = |name: &&str| {
            let (begins, ends) = (format!("{name} begins"), format!("{name} ends"));
            assert_eq!(said.contains(&begins), said.contains(&ends));
            said.contains(&begins)
        };
        names.into_iter().filter(is_whole).collect()
    }

    fn left_out(program: &Program<Quiet>) -> Value {
        let client = clients::by_name("claude-code").unwrap();
        let event = Event::SessionStart;
        let input = told(program, client, event, None, None);
        let shown = in_client(program, client, Some(event), &input, None);
        let shown = futures::executor::block_on(shown).unwrap();
        serde_json::to_value(shown).unwrap()["left_out"].clone()
    }

    /// Returns what is left out, if that begins with the first hook and the agent receives these.
    #[track_caller]
    fn without_the_first(program: &Program<Quiet>, received: &[&str]) -> Value {
        assert_eq!(sent(program), received);
        let shown = left_out(program);
        let first = json!(["mcp-toolkit:session:start:first"]);
        assert_eq!(shown[0]["hooks"], first, "{shown}");
        shown
    }

    use RequirementLevel::{May, Must, Should};

    #[test]
    fn a_text_that_does_not_fit_takes_no_other_of_its_level_along() {
        let long_may = program(&[
            ("first", May, 9_900),
            ("second", Should, 100),
            ("third", May, 100),
            ("fourth", Should, 100),
        ]);
        let shown = without_the_first(&long_may, &["second", "third", "fourth"]);
        let why = shown[0]["why"].as_str().unwrap();
        assert!(why.contains("10000 UTF-16 units of one answer"), "{why}");
        assert_eq!(shown.as_array().unwrap().len(), 1, "{shown}");
        let doctor = doctor::remarks_of(&long_may, "claude-code");
        let is_named = |line: &String| {
            line.starts_with(
                "session_start: mcp-toolkit:session:start:first: left out in Claude Code: ",
            )
        };
        assert_eq!(
            doctor.iter().filter(|line| is_named(line)).count(),
            1,
            "{doctor:?}"
        );
    }

    #[test]
    fn lower_levels_are_left_out_first() {
        let all = program(&[
            ("first", May, 4_000),
            ("second", Should, 3_000),
            ("third", Must, 4_000),
            ("fourth", Should, 2_000),
        ]);
        // MUST is another strength, and takes its part before SHOULD; MAY comes last.
        without_the_first(&all, &["second", "third", "fourth"]);
        let musts = program(&[
            ("first", Must, 6_000),
            ("second", Must, 6_000),
            ("third", May, 2_000),
        ]);
        assert_eq!(sent(&musts), ["first", "third"]);
    }

    #[test]
    fn the_policys_characters_also_leave_out_single_texts() {
        let mut controls = ClientControls::default();
        controls.max_characters = 1_000;
        let few =
            program(&[("first", May, 900), ("second", Should, 100)]).client_controls(controls);
        let why = without_the_first(&few, &["second"])[0]["why"].to_string();
        assert!(why.contains("1000 characters of the policy"), "{why}");
    }
}
