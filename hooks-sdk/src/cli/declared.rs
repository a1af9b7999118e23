//! The declarations at one event of a client.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{CommandError, Program, evaluate::shortened};
use crate::{
    clients::{
        AfterStart, Aftermath, Client, Fitting, fire_fitting, read_input,
        synthesize::{DescribedEvent, synthesize},
    },
    lifecycle::{
        Declaration, Event, HookContent, Matcher,
        host::{Injected, LifecycleHost, NoTools},
    },
    server::{Collected, Declared, ServerHandler},
};

/// Why a context tool may return nothing under `hooks fire`.
pub(super) const IN_ITS_OWN_PROCESS: &str = "each event runs in a process of its own, which does not see what a \
    running server holds only in memory";

impl<H: ServerHandler> Program<H> {
    /// Returns the declarations for a client and an event. Makes a server only if one of its functions makes a text.
    pub(super) async fn declared_at(
        &self,
        hooks: &Collected<H>,
        client: &Client,
        event: Event,
    ) -> Result<Vec<Declared>, CommandError> {
        let server = match hooks.makes_text(event) {
            true => Some(self.server().await?),
            false => None,
        };
        let mut declared = hooks.declared(client.features, server.as_ref()).await;
        declared.retain(|each| each.declaration.event.known() == Some(&event));
        if let Some(inside) = crate::clients::trial::Inside::here() {
            inside.probe(event, &mut declared);
        }
        Ok(declared)
    }

    /// Makes a host with these declarations, for a client in which the server has the name `name` and which waits so long. The
    /// texts are made to fit one by one: the second value is the most characters of all.
    pub(super) fn host(
        &self,
        name: &str,
        declared: &[Declared],
        patience: Duration,
    ) -> (LifecycleHost, usize) {
        let mut controls = self.client_controls.clone();
        let max_characters = std::mem::replace(&mut controls.max_characters, usize::MAX);
        controls.deadline = controls.deadline.min(patience);
        let mut host = LifecycleHost::new(controls);
        let declarations: Vec<_> = declared.iter().map(|each| &each.declaration).collect();
        host.register(name, &json!({ "declarations": declarations }));
        (host, max_characters)
    }
}

/// Returns what happens to the texts of a session's start later on.
fn of_the_start(after: AfterStart) -> Vec<String> {
    let resumed = match after.resume {
        Aftermath::Kept => {
            Some("A resumed session still has its texts: only context tools are called again.")
        }
        Aftermath::SentAgain => {
            Some("A resumed session has lost its texts, and receives them again.")
        }
        Aftermath::Lost => {
            Some("A resumed session has lost its texts, and the client fires no event.")
        }
        Aftermath::NotRun => Some("Not verified whether a resumed session still has its texts."),
        _ => None,
    };
    let compacted = match after.compaction {
        Aftermath::Lost => {
            Some("A compacted session has lost its texts, and the client fires no event.")
        }
        _ => None,
    };
    let all = [resumed, compacted].into_iter().flatten();
    all.map(str::to_owned).collect()
}

/// Returns what may surprise an author at an event with these declarations, as sentences for people.
///
/// `name` is the server's name in the client, which stands before each text.
pub(super) fn hints(
    client: &Client,
    event: Event,
    declared: &[Declared],
    name: &str,
) -> Vec<String> {
    let mut hints = Vec::new();
    if declared.is_empty() || !client.mapping(event).delivery.reaches_agent() {
        return hints;
    }
    if event == Event::SessionStart {
        hints.extend(of_the_start(client.after_start));
    }
    let tools = declared
        .iter()
        .filter_map(|each| match &each.declaration.content {
            HookContent::ContextTool { name, .. } => Some(format!("`{name}`")),
            _ => None,
        });
    let tools: Vec<String> = tools.collect();
    if !tools.is_empty() {
        hints.push(format!(
            "`hooks fire` calls {}: {IN_ITS_OWN_PROCESS}.",
            tools.join(", ")
        ));
    }
    hints.extend(too_long(client, event, declared, name));
    // Only guidance has ids with a colon.
    let guided = declared
        .iter()
        .flat_map(|each| &each.hooks)
        .any(|id| id.contains(':'));
    if event == Event::PreToolUse && guided {
        hints.push(
            "Without an installation, guidance for the start of an action arrives with the result of the call."
                .to_owned(),
        );
    }
    hints
}

/// Describes the matcher of a declaration.
pub(super) fn condition(declaration: &Declaration) -> Option<String> {
    let matcher = declaration.matcher.as_ref()?;
    let conditions = [
        ("tool_name", &matcher.tool_name),
        ("input_contains", &matcher.input_contains),
        ("tool_server", &matcher.tool_server),
    ];
    let given = conditions.iter().filter_map(|(key, value)| {
        let value = value.as_deref()?;
        Some(format!("{key} = {value:?}"))
    });
    let given: Vec<String> = given.collect();
    Some(given.join(" and "))
}

/// Names the texts that do not fit into one answer together, as `fire` leaves them out.
pub(super) fn crowded<H: ServerHandler>(
    program: &Program<H>,
    hooks: &Collected<H>,
    client: &Client,
    event: Event,
    declared: &[Declared],
) -> Vec<String> {
    let name = &*program.name;
    let matchers = declared.iter().map(|each| &each.declaration.matcher);
    let mut matchers: Vec<Option<&Matcher>> = matchers.map(Option::as_ref).collect();
    // Texts without a matcher are also sent with those of each matcher.
    matchers.dedup();
    let mut left_out = BTreeSet::new();
    for matcher in matchers {
        let tool = matcher.and_then(|matcher| matcher.tool_name.as_deref());
        let tool = tool.map(|pattern| pattern.replace('*', ""));
        let input = matcher.and_then(|matcher| matcher.input_contains.as_deref());
        let input = input.map(|part| json!({ "command": part }).to_string());
        let told = DescribedEvent {
            tool: tool.as_deref(),
            server: matcher.and_then(|matcher| matcher.tool_server.as_deref()),
            input: input.as_deref(),
            ..DescribedEvent::default()
        };
        let said = synthesize(client, event, told, &[name]);
        let Ok(seen) = read_input(client, Some(event), &[name], said.as_bytes()) else {
            continue;
        };
        let (host, max_characters) = program.host(name, declared, Duration::MAX);
        let fitting = Fitting {
            max_characters,
            shorten: &|index, fits| shortened(hooks, declared.get(index)?, fits),
        };
        let fired = fire_fitting(client, seen, &host, &NoTools, Instant::now(), &fitting);
        for unfit in futures::executor::block_on(fired).unfit {
            let Some(each) = declared.get(unfit.index) else {
                continue;
            };
            let ids = match unfit.hooks.is_empty() {
                true => &each.hooks,
                false => &unfit.hooks,
            };
            let ids = ids.join(", ");
            left_out.insert(format!(
                "{ids}: left out in {}: {}; shorten it, or make a skill of a part.",
                client.title, unfit.why
            ));
        }
    }
    left_out.into_iter().collect()
}

/// Names each text that does not fit into the client's answer by itself. A text with parts is shortened instead.
fn too_long<'a>(
    client: &Client,
    event: Event,
    declared: &'a [Declared],
    name: &str,
) -> impl Iterator<Item = String> + use<'a> {
    let (budget, title) = (client.budget(event), client.title);
    let longer = declared.iter().filter_map(move |each| {
        let HookContent::Context(text) = &each.declaration.content else {
            return None;
        };
        each.parts.is_empty().then_some((each, text))
    });
    let name = name.to_owned();
    longer.filter_map(move |(each, text)| {
        let priority = each.declaration.strength.known().copied()?;
        let length = budget.length(&Injected::quoted(&name, priority, text));
        let hooks = each.hooks.join(", ");
        (length > budget.most).then(|| {
            format!(
                "{hooks}: the text has a length of {length} in an answer, and at most {budget} are sent to {title}, so it is \
                 left out: shorten it, or make a skill of a part."
            )
        })
    })
}
