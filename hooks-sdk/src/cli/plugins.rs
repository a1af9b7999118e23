//! Plugin hooks in the output of commands.

use serde_json::{Value, json};

use super::{CommandError, Program, pipe::listed_tools, print, program::runtime};
use crate::{
    clients::dump::Diagnostic,
    core::{Origin, Registry, glob},
    lifecycle::{Event, Occasion},
    plugin::{Chain, Configuration, Family, ListHook, PluginAt, PluginHook, PluginMode},
    server::{Collected, ServerHandler},
    testing::TestHost,
};
use hooks_plugin::internal::{TypedTool, misfits, strays as strays_of, unlisted};

/// Describes a hook for people: its id and its power in one line, and below it when it runs.
pub(super) fn entry(hook: &PluginHook, from: Option<&str>) -> String {
    let mut entry = format!("  {} ({})", hook.id(), power(hook));
    if let Some(from) = from {
        entry.push_str(&format!(", {from}"));
    }
    for line in when(hook) {
        entry.push_str(&format!("\n    {line}"));
    }
    if let Some(reason) = hook.reason() {
        entry.push_str(&format!("\n    denies: {reason}"));
    }
    entry
}

/// Describes the hooks of a chain by point. `from` says where a hook comes from.
pub(super) fn page(chain: &Chain, from: impl Fn(&PluginHook) -> Option<String>) -> String {
    print::sections(PluginAt::ALL.iter().map(|at| {
        let hooks = chain.hooks().filter(|hook| hook.at() == *at);
        let lines = hooks.map(|hook| entry(hook, from(hook).as_deref()));
        (at.as_str().to_owned(), lines.collect())
    }))
}

/// Returns a hook for programs.
pub(super) fn json(hook: &PluginHook) -> Value {
    let (when, unless) = hook.its_conditions();
    json!({
        "id": hook.id(),
        "point": hook.at().as_str(),
        "mode": hook.its_mode().as_str(),
        "posture": hook.its_posture().as_str(),
        "priority": hook.its_priority(),
        "deadline_ms": u64::try_from(hook.its_deadline().as_millis()).unwrap_or(u64::MAX),
        "items": hook.its_items().collect::<Vec<_>>(),
        "when": when.map(ToString::to_string),
        "unless": unless.map(ToString::to_string),
        "scopes": hook.its_scopes().collect::<Vec<_>>(),
        "conditions": hook.its_file_conditions(),
        "tags": hook.its_tags().collect::<Vec<_>>(),
        "denies": hook.reason(),
    })
}

/// Returns mode, posture and place.
fn power(hook: &PluginHook) -> String {
    let mode = hook.its_mode().as_str();
    let posture = match hook.its_mode() {
        PluginMode::Disabled => String::new(),
        _ => {
            let posture = hook.its_gate_posture();
            let posture = posture.unwrap_or_else(|| hook.its_posture());
            format!(", posture {posture}")
        }
    };
    format!("{mode}{posture}, priority {}", hook.its_priority())
}

/// Returns what limits a hook.
fn when(hook: &PluginHook) -> Vec<String> {
    let mut lines = Vec::new();
    let items: Vec<&str> = hook.its_items().collect();
    if !items.is_empty() {
        lines.push(format!(
            "{} {}",
            hook.at().family().as_str(),
            items.join(", ")
        ));
    }
    let kinds: Vec<&str> = hook.its_kinds().iter().map(|kind| kind.as_str()).collect();
    if !kinds.is_empty() {
        lines.push(format!("kind {}", kinds.join(", ")));
    }
    let (when, unless) = hook.its_conditions();
    lines.extend(when.map(|when| format!("when {when}")));
    lines.extend(unless.map(|unless| format!("unless {unless}")));
    let scopes: Vec<&str> = hook.its_scopes().collect();
    if !scopes.is_empty() {
        lines.push(format!("unless scopes {}", scopes.join(", ")));
    }
    for condition in hook.its_file_conditions() {
        let Ok(Value::Object(members)) = serde_json::to_value(condition) else {
            continue;
        };
        let given = members.iter().filter_map(|(field, words)| {
            let words: Vec<&str> = words.as_array()?.iter().filter_map(Value::as_str).collect();
            (!words.is_empty()).then(|| format!("{field} {}", words.join(", ")))
        });
        lines.push(format!("only {}", given.collect::<Vec<_>>().join(" and ")));
    }
    lines
}

/// Returns where a hook was written: in the configuration file, or in the program.
pub(super) fn place(hook: &PluginHook, configuration: Option<&Configuration>) -> String {
    let own = configuration.and_then(|file| {
        let plugin = file.plugins().find(|plugin| plugin.name == hook.id())?;
        let (kind, line) = (plugin.kind, plugin.line);
        Some(format!("{kind} at {}:{line}", file.file().display()))
    });
    if let Some(own) = own {
        return own;
    }
    let Origin { file, line, .. } = hook.origin();
    format!("{file}:{line}")
}

/// Returns the hooks of a server in their order, as its own settings and its own configuration file place them.
pub(super) fn chain<H: ServerHandler>(
    hooks: &Collected<H>,
) -> Result<(Chain, Option<Configuration>), CommandError> {
    Ok(hooks.policy_parts().chain()?)
}

/// Returns sentences about the hooks that do not fit the tools of the server, such as a rule on a tool that it does not
/// have. Empty if no hook names a tool, or if the server cannot be made here.
pub(super) fn warnings<H: ServerHandler>(
    program: &Program<H>,
    chain: &Chain,
    lists: &[ListHook],
) -> Vec<String> {
    let names =
        |hook: &PluginHook| hook.at().family() == Family::Tool && hook.its_items().next().is_some();
    if !chain.hooks().any(names) && lists.iter().all(|list| list.its_items().next().is_none()) {
        return Vec::new();
    }
    let tools = match tools(program) {
        Ok(tools) => tools,
        Err(error) => {
            let reason = format!("the hooks were not compared with the server's tools: {error}");
            return vec![reason];
        }
    };
    let typed = typed(&tools);
    let found = misfits(chain.hooks(), &typed);
    let problems = found
        .problems
        .iter()
        .map(|problem| problem.message.to_string());
    let unlisted = unlisted(lists, &typed);
    problems.chain(found.warnings).chain(unlisted).collect()
}

/// Returns the list hooks of the program and of its file.
pub(super) fn lists<H: ServerHandler>(
    hooks: &Collected<H>,
    file: Option<&Configuration>,
) -> Vec<ListHook> {
    let lists = hooks.policy_parts().lists.into_iter();
    let of_file = file.into_iter().flat_map(Configuration::lists);
    lists.chain(of_file.cloned()).collect()
}

/// Returns the rules that name a tool which the server does not have, and the questions that it never asks.
///
/// `is_hidden` says whether the server has a tool that it does not list.
pub(super) fn strays<'t, H: ServerHandler>(
    hooks: &Collected<H>,
    tools: impl IntoIterator<Item = &'t Value>,
    is_hidden: impl Fn(&str) -> bool,
) -> Result<Vec<Diagnostic>, CommandError> {
    let (chain, file) = chain(hooks)?;
    let lists = lists(hooks, file.as_ref());
    let mut strays = strays_of(chain.hooks(), &lists, &typed(tools));
    strays.retain(|stray| !stray.tool.as_deref().is_some_and(&is_hidden));
    let found = strays.into_iter().map(|stray| {
        let mut of = chain.hooks().filter(|hook| hook.id() == stray.id);
        let at = of.next().map(|hook| place(hook, file.as_ref()));
        let message = format!("`{}`: {}", stray.id, stray.message);
        Diagnostic::new(message, stray.help).at(at)
    });
    Ok(found.collect())
}

/// Returns tools with their schemas, as a client receives them.
pub(super) fn typed<'t>(tools: impl IntoIterator<Item = &'t Value>) -> Vec<TypedTool<'t>> {
    let typed = |tool: &'t Value| {
        Some(TypedTool {
            name: tool["name"].as_str()?,
            input: tool["inputSchema"].as_object(),
            output: tool["outputSchema"].as_object(),
            is_destructive: tool["annotations"]["destructiveHint"] == true,
        })
    };
    tools.into_iter().filter_map(typed).collect()
}

/// Returns the tools of the author's server, without hooks.
fn tools<H: ServerHandler>(program: &Program<H>) -> Result<Vec<Value>, CommandError> {
    let runtime = runtime()?;
    let tools = runtime.block_on(own_tools(program));
    runtime.shutdown_background();
    tools
}

/// Returns the tools of the author's server, without hooks. A server without its type answers only inside of a [`Collected`].
pub(super) async fn own_tools<H: ServerHandler>(
    program: &Program<H>,
) -> Result<Vec<Value>, CommandError> {
    let bare = Collected::of(Registry::default())?.wrap(program.server().await?)?;
    Ok(listed_tools(&TestHost::connect(bare).await?).await?)
}

/// Returns the hooks that the server runs around the call that an event of a client is about, each in one line. `own` is
/// the server's tool that is called.
pub(super) fn around<H: ServerHandler>(
    hooks: &Collected<H>,
    occasion: &Occasion,
    own: Option<&str>,
) -> Result<Vec<String>, CommandError> {
    let at = match occasion.event {
        Event::PreToolUse => PluginAt::ToolPreInvoke,
        Event::PostToolUse => PluginAt::ToolPostInvoke,
        _ => return Ok(Vec::new()),
    };
    // The server sees no calls of the client's own tools, or of another server's.
    if occasion.variables.tool_name.is_some() && own.is_none() {
        return Ok(Vec::new());
    }
    let is_for = |hook: &&PluginHook| {
        let items = || hook.its_items();
        hook.at() == at
            && (items().next().is_none()
                || own.is_none_or(|tool| items().any(|item| glob::matches(item, tool))))
    };
    let (chain, _) = chain(hooks)?;
    let line = |hook: &PluginHook| format!("{} at {} ({})", hook.id(), at.as_str(), power(hook));
    Ok(chain.hooks().filter(is_for).map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::tests::Notes,
        core::{Registry, condition::Condition},
        lifecycle::Variables,
        plugin::point,
    };

    fn hooks() -> Collected<Notes> {
        let rule = PluginHook::deny("keep_logs", point::tool_pre_invoke, "logs stay")
            .items(&["delete_log*"])
            .when(Condition::parse("args.path = inside(\"/var/log\")").unwrap())
            .priority(200);
        let any = PluginHook::deny("nobody", point::tool_pre_invoke, "not now")
            .unless(Condition::parse("user").unwrap())
            .mode(PluginMode::Audit);
        let off =
            PluginHook::deny("off", point::resource_pre_fetch, "no").mode(PluginMode::Disabled);
        let registry = Registry::builder()
            .add(rule.into())
            .add(any.into())
            .add(off.into());
        Collected::of(registry.build().unwrap()).unwrap()
    }

    #[test]
    fn each_hook_stands_below_its_point_in_its_order() {
        let page = page(&chain(&hooks()).unwrap().0, |_| None);
        assert_eq!(
            page,
            "tool_pre_invoke
  nobody (audit, posture proceed, priority 100)
    unless user
    denies: not now
  keep_logs (enforce, posture deny, priority 200)
    tool delete_log*
    when args.path = inside(\"/var/log\")
    denies: logs stay

resource_pre_fetch
  off (disabled, priority 100)
    denies: no"
        );
        let (chain, _) = chain(&hooks()).unwrap();
        let shown = json(chain.hooks().last().unwrap());
        assert_eq!(
            (&shown["id"], &shown["priority"]),
            (&"keep_logs".into(), &200.into())
        );
        assert_eq!(shown["items"], serde_json::json!(["delete_log*"]));
    }

    #[test]
    fn warnings_are_about_the_file_as_it_is_now() {
        use crate::{cli::desk::Desk, server::Policy};

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.yaml");
        let write = |tool: &str, member: &str| {
            let rule = format!(
                "plugins:\n  - name: keep\n    kind: deny\n    hooks: [tool_pre_invoke]\n    reason: no\n    \
                 tools: [\"{tool}\"]\n    when: 'args.{member} = \"/etc/**\"'\n"
            );
            std::fs::write(&file, rule).unwrap();
        };
        let program = Program::new("desk", || Ok(Desk))
            .collected(|| Collected::of(Registry::builder().build()?))
            .policy(Policy::new().file(&file));
        for (tool, member, says) in [
            ("open", "path", None),
            ("open", "pth", Some("args.pth")),
            ("opne", "path", Some("opne")),
            ("open", "path", None),
        ] {
            write(tool, member);
            let (chain, _) = chain(&program.hooks().unwrap()).unwrap();
            let found = warnings(&program, &chain, &[]);
            assert_eq!(found.len(), usize::from(says.is_some()), "{found:?}");
            for (found, says) in found.iter().zip(says) {
                assert!(found.contains(says), "{found}");
            }
        }
    }

    #[test]
    fn the_server_judges_its_own_tools_only() {
        let around = |event, tool: Option<&str>, own: Option<&str>| {
            let mut variables = Variables::default();
            variables.tool_name = tool.map(str::to_owned);
            let occasion = Occasion::new(event, variables);
            around(&hooks(), &occasion, own).unwrap().len()
        };
        assert_eq!(around(Event::PreToolUse, None, None), 2);
        let full = Some("mcp__notes__delete_logs");
        assert_eq!(around(Event::PreToolUse, full, Some("delete_logs")), 2);
        assert_eq!(around(Event::PreToolUse, Some("read"), Some("read")), 1);
        assert_eq!(around(Event::PreToolUse, Some("Bash"), None), 0);
        assert_eq!(around(Event::PostToolUse, None, None), 0);
        assert_eq!(around(Event::SessionStart, None, None), 0);
    }
}
