//! Rules about tools that the server does not have, and questions that it never asks.

use super::{
    Family, ListHook, PluginHook, PluginMode,
    typed::{TypedTool, names_in_full, unknown},
};

/// A rule about tools that the server does not have.
#[derive(Debug)]
#[doc(hidden)]
pub struct StrayRule {
    pub id: String,
    /// The unknown name or glob.
    pub tool: Option<String>,
    pub message: String,
    pub help: String,
}

/// Returns the rules that name a tool which is none of these, and the plugins that ask before none of them.
#[doc(hidden)]
pub fn strays<'h>(
    hooks: impl IntoIterator<Item = &'h PluginHook>,
    lists: impl IntoIterator<Item = &'h ListHook>,
    tools: &[TypedTool<'_>],
) -> Vec<StrayRule> {
    let mut strays = Vec::new();
    let is_on = |hook: &&PluginHook| {
        hook.at().family() == Family::Tool && hook.its_mode() != PluginMode::Disabled
    };
    for hook in hooks.into_iter().filter(is_on) {
        let asked = hook.asks_before.as_ref();
        let globs = asked.into_iter().flat_map(|(globs, _)| globs);
        let items = hook.its_items().chain(globs.map(|glob| &**glob));
        strays.extend(unknown(items, tools).map(|item| StrayRule::named(hook.id(), item)));
        let asks = |destructive: bool, tool: &TypedTool<'_>| {
            destructive && tool.is_destructive && hook.filter.names(tool.name)
        };
        let unnamed = asked.filter(|(globs, _)| globs.is_empty() && !tools.is_empty());
        if let Some((_, destructive)) = unnamed
            && !tools.iter().any(|tool| asks(*destructive, tool))
        {
            let help = match destructive {
                true => {
                    "annotate a tool of the rule with `destructive_hint = true`, or name the tools"
                }
                false => "name the tools, or remove the plugin",
            };
            strays.push(StrayRule {
                id: hook.id().to_owned(),
                tool: None,
                message: "it asks before no tool of the server".to_owned(),
                help: help.to_owned(),
            });
        }
    }
    for hook in lists {
        let items = unknown(names_in_full(hook), tools);
        strays.extend(items.map(|item| StrayRule::named(hook.id(), item)));
    }
    strays
}

impl StrayRule {
    fn named(id: &str, (item, near): (&str, Option<&str>)) -> StrayRule {
        StrayRule {
            id: id.to_owned(),
            tool: Some(item.to_owned()),
            message: format!("no tool of the server is called `{item}`"),
            help: match near {
                Some(near) => format!("write `{near}`"),
                None => "name a tool of the server, or remove the name".to_owned(),
            },
        }
    }
}

#[cfg(all(test, feature = "policy"))]
mod tests {
    use super::*;
    use crate::{Instance, ListOf, point, ready::Confirm};

    #[test]
    fn a_question_before_no_tool_is_a_stray_and_so_is_each_unknown_name() {
        let tool = |name, is_destructive| TypedTool {
            name,
            input: None,
            output: None,
            is_destructive,
        };
        let tools = [tool("delete_file", true), tool("read_file", false)];
        let found = |confirm: Instance, tools: &[TypedTool<'_>]| {
            let found = strays(confirm.hooks(), [], tools).into_iter();
            let lines =
                found.map(|stray| format!("{}: {} | {}", stray.id, stray.message, stray.help));
            lines.collect::<Vec<_>>().join("\n")
        };
        let confirm = || Instance::of(Confirm::new());
        let never = "confirm: it asks before no tool of the server | annotate a tool of the rule with `destructive_hint = true`, \
                     or name the tools";
        assert_eq!(found(confirm(), &tools), "");
        assert_eq!(found(confirm(), &tools[1..]), never);
        assert_eq!(found(confirm().items(&["read_*"]), &tools), never);
        assert_eq!(
            found(Confirm::new().destructive(false).into(), &tools),
            "confirm: it asks before no tool of the server | name the tools, or remove the plugin"
        );
        let named = |glob| Instance::of(Confirm::new().tool(glob));
        assert_eq!(found(named("*_file"), &tools[1..]), "");
        assert_eq!(
            found(named("delet_file"), &tools),
            "confirm: no tool of the server is called `delet_file` | write `delete_file`"
        );
        // Of a server without a list, nothing is known; and a hook that is off asks nobody.
        assert_eq!(found(named("delet_file"), &[]), "");
        assert_eq!(found(confirm(), &[]), "");
        assert_eq!(found(confirm().mode(PluginMode::Disabled), &tools[1..]), "");
        let rule = PluginHook::deny("rule", point::tool_pre_invoke, "no").items(&["wipe"]);
        let hidden = ListHook::hide("hide", ListOf::Tools, &["read_fil", "any_*"]);
        let found = strays([&rule], [&hidden], &tools);
        let found: Vec<_> = found
            .iter()
            .map(|stray| (&*stray.id, &*stray.help))
            .collect();
        let remove = "name a tool of the server, or remove the name";
        assert_eq!(found, [("rule", remove), ("hide", "write `read_file`")]);
    }
}
