//! The declarations at one event of a client.

use serde_json::json;

use super::{CommandError, Program};
use crate::{
    clients::{AfterStart, Aftermath, Client},
    lifecycle::{
        Declaration, Event, HookContent,
        host::{Injected, LifecycleHost},
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
        client: &dyn Client,
        event: Event,
    ) -> Result<Vec<Declared>, CommandError> {
        let server = match hooks.makes_text(event) {
            true => Some(self.server().await?),
            false => None,
        };
        let mut declared = hooks.declared(client.features(), server.as_ref()).await;
        declared.retain(|each| each.declaration.event.known() == Some(&event));
        #[cfg(feature = "prove")]
        if crate::prove::Inside::here().is_some() {
            declared.push(crate::prove::Inside::probe(event));
        }
        Ok(declared)
    }

    /// Makes a host with these declarations, for a client in which the server has the name `name`.
    pub(super) fn host(&self, name: &str, declared: &[Declared]) -> LifecycleHost {
        let mut host = LifecycleHost::new(self.client_policy.clone().trusting(name));
        let declarations: Vec<_> = declared.iter().map(|each| &each.declaration).collect();
        host.register(name, &json!({ "declarations": declarations }));
        host
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
        Aftermath::Impossible => None,
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
    client: &dyn Client,
    event: Event,
    declared: &[Declared],
    name: &str,
) -> Vec<String> {
    let mut hints = Vec::new();
    if declared.is_empty() || !client.mapping(event).delivery.reaches_agent() {
        return hints;
    }
    if event == Event::SessionStart {
        hints.extend(of_the_start(client.capabilities().after_start));
    }
    let tools = declared
        .iter()
        .filter_map(|each| match &each.declaration.content {
            HookContent::ContextTool { name, .. } => Some(format!("`{name}`")),
            HookContent::Context(_) => None,
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

/// Names each text that does not fit into the client's answer by itself.
pub(super) fn too_long<'a>(
    client: &dyn Client,
    event: Event,
    declared: &'a [Declared],
    name: &str,
) -> impl Iterator<Item = String> + use<'a> {
    let (budget, title) = (client.budget(event), client.title());
    let longer = declared.iter().filter_map(move |each| {
        let HookContent::Context(text) = &each.declaration.content else {
            return None;
        };
        Some((each, text))
    });
    let name = name.to_owned();
    longer.filter_map(move |(each, text)| {
        let priority = each.declaration.priority.known().copied()?;
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
