//! The plugins in a package of npm whose hooks are JavaScript: of OpenCode and of Cline CLI.

use std::path::Path;

use serde_json::json;

use hooks_clients::{
    self as clients, INSTALLED_VARIABLE, InstallScope, Installation, Place, Start, filled, script,
};

use crate::{
    CommandError,
    package::{folder::Files, format::PackageFacts},
    server::events,
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
    pub(super) fn add(
        &self,
        about: &PackageFacts<'_>,
        files: &mut Files,
    ) -> Result<(), CommandError> {
        files.add(self.hooks, self.hooks(about)?.into_bytes())?;
        let server = script(&*about.dump.name);
        let values = [
            ("__SERVER__", server.clone()),
            ("__SERVER__", server),
            ("__ARGUMENTS__", script(about.serve())),
            (
                "__ENVIRONMENT__",
                script(json!({ INSTALLED_VARIABLE: self.client })),
            ),
        ];
        files.add(self.file, filled(self.text, &values).into_bytes())
    }

    /// Returns the file of the hooks, as `hooks install` writes it, with the program of the package.
    fn hooks(&self, about: &PackageFacts<'_>) -> Result<String, CommandError> {
        let client = clients::by_name(self.client);
        let client = client.ok_or_else(|| format!("there is no client `{}`", self.client))?;
        let (binary, place) = (Path::new(about.program), Place::new("", ""));
        let (scope, program) = (InstallScope::User, about.dump);
        let to = Installation {
            start: Start::Module("./program.js"),
            events: events(program, client)?,
            arguments: &program.arguments,
            ..Installation::new(&program.id, scope, &place, &program.name, binary)
        };
        let plan = to.plan(client, false);
        let [(_, content)] = &*plan.own else {
            return Ok(self.without_hooks.to_owned());
        };
        Ok(content.clone())
    }
}
