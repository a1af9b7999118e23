//! The plugins in a package of npm whose hooks are JavaScript: of OpenCode and of Cline CLI.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    cli::{
        CommandError, Program,
        install::INSTALLED_VARIABLE,
        package::{folder::Files, format::PackageFacts},
    },
    clients::{self, InstallScope, Installation, Place, config::Plan},
    server::ServerHandler,
};

/// A plugin that is JavaScript.
pub(super) struct ScriptPlugin {
    client: &'static str,
    /// The file that the client loads, and its text. It has the placeholders `__SERVER__`, twice, `__ARGUMENTS__` and
    /// `__ENVIRONMENT__`, in this order.
    file: &'static str,
    text: &'static str,
    /// The file of the hooks, and its text if no hook can fire.
    hooks: &'static str,
    without_hooks: &'static str,
}

/// The plugins of each package.
pub(super) const PLUGINS: [ScriptPlugin; 2] = [
    ScriptPlugin {
        client: "opencode",
        file: "opencode.js",
        text: include_str!("opencode.js"),
        hooks: "lib/hooks.js",
        without_hooks: "export const Hooks = async () => ({})\n",
    },
    ScriptPlugin {
        client: "cline",
        file: "cline.js",
        text: include_str!("cline.js"),
        hooks: "lib/cline-hooks.js",
        without_hooks: "export default { name: \"hooks\", hooks: {} }\n",
    },
];

impl ScriptPlugin {
    /// Adds the plugin, which starts the program of the package.
    pub(super) fn add<H: ServerHandler>(
        &self,
        about: &PackageFacts<'_>,
        program: &Program<H>,
        files: &mut Files,
    ) -> Result<(), CommandError> {
        files.add(self.hooks, self.hooks(about, program)?.into_bytes())?;
        let mut arguments = vec!["serve".to_owned()];
        arguments.extend(about.arguments.iter().cloned());
        let server = script(&about.server.into());
        let values = [
            ("__SERVER__", server.clone()),
            ("__SERVER__", server),
            ("__ARGUMENTS__", script(&json!(arguments))),
            (
                "__ENVIRONMENT__",
                script(&json!({ INSTALLED_VARIABLE: self.client })),
            ),
        ];
        let mut plugin = String::new();
        let mut rest = self.text;
        for (placeholder, value) in &values {
            if let Some((before, after)) = rest.split_once(placeholder) {
                plugin.push_str(before);
                plugin.push_str(value);
                rest = after;
            }
        }
        plugin.push_str(rest);
        files.add(self.file, plugin.into_bytes())
    }

    /// Returns the file of the hooks, as `hooks install` writes it, with the program of the package.
    fn hooks<H: ServerHandler>(
        &self,
        about: &PackageFacts<'_>,
        program: &Program<H>,
    ) -> Result<String, CommandError> {
        let client = clients::by_name(self.client);
        let client = client.ok_or_else(|| format!("there is no client `{}`", self.client))?;
        let events = program.events(client)?;
        let (binary, place) = (Path::new(about.program), Place::new("", ""));
        let to = Installation::new(
            &program.id,
            InstallScope::User,
            &place,
            about.server,
            binary,
        )
        .events(&events)
        .arguments(about.arguments);
        let plan = Plan::new(to.key(client), binary);
        let plan = client.plan_hooks(plan, &to);
        let [(_, content)] = plan.own_files() else {
            return Ok(self.without_hooks.to_owned());
        };
        // In the place of the one on the PATH.
        let own = format!("const COMMAND = [{}", script(&about.program.into()));
        if !content.contains(&own) {
            return Err(format!("the plugin of {} has no command", client.title()).into());
        }
        let found = content.replacen(&own, "const COMMAND = [find()", 1);
        Ok(format!("import {{ find }} from \"./program.js\"\n{found}"))
    }
}

/// Returns a value as JavaScript.
pub(super) fn script(value: &Value) -> String {
    let text = value.to_string();
    text.replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
