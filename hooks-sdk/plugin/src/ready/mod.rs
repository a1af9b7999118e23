//! Ready-made plugins: the checks that servers need on their first day. Each is off until it is added.
//!
//! | kind | type | what it does |
//! |---|---|---|
//! | `allow_list` | [`AllowList`] | refuses every tool call that no entry allows |
//! | `deny_list` | [`DenyList`] | refuses the tool calls that an entry names |
//! | `rate_limit` | [`RateLimit`] | refuses calls that come too often, and says when to try again |
//! | `size_limit` | [`SizeLimit`] | refuses answers that are too long, and warns from 80 % |
//! | `redact` | [`Redact`] | replaces secrets and personal data in answers |
//! | `confirm` | [`Confirm`] | asks the user before destructive tools |
//! | `validate` | [`Validate`] | checks arguments and structured results against the tool's schemas |
//! | `protect_paths` | [`ProtectPaths`] | keeps an agent's own tools away from files and folders |
//! | `refuse_commands` | [`RefuseCommands`] | refuses shell commands of an agent |
//! | `keep_secrets` | [`KeepSecrets`] | keeps secrets out of an agent's commands and files |
//! | `mcp_servers` | [`McpServers`] | lets an agent use these MCP servers only |
//! | `server_first` | [`ServerFirst`] | an agent opens its session with the server before it uses its own tools |
//!
//! Each type is a builder in Rust and, under `config`, the configuration of its kind in a file.
//!
//! ```
//! use hooks_sdk::plugin::{Chain, Instance, ready::{Confirm, RateLimit, Redact}};
//!
//! let plugins = [
//!     Instance::of(RateLimit::new().per_minute(60).tool("search*")).priority(10),
//!     Instance::of(Confirm::new().tool("delete_*")).priority(90),
//!     Instance::of(Redact::new()),
//! ];
//! let chain = Chain::new(plugins.iter().flat_map(Instance::hooks).cloned());
//! # assert!(chain.hooks().count() > 3);
//! ```

/// Implements [`Plugin`](super::Plugin) for a plugin that is its own configuration: its kind, what its `new` creates, and at
/// each point the method that answers at once.
macro_rules! ready {
    ($plugin:ident = $kind:literal, $new:literal { $($point:ident => $answer:expr $(, $more:ident$(($value:expr))?)*;)+ }) => {
        impl $plugin {
            #[doc = $new]
            pub fn new() -> $plugin {
                $plugin::default()
            }
        }

        impl $crate::Plugin for $plugin {
            const KIND: &'static str = $kind;
            type Config = $plugin;

            fn new(config: $plugin) -> Result<$plugin, hooks_core::HookError> {
                Ok(config)
            }

            fn hooks() -> $crate::PluginHooks<$plugin> {
                $crate::PluginHooks::new()$(
                    .on($crate::point::$point, |plugin: &$plugin, payload, cx| {
                        Box::pin(futures::future::ready($answer(plugin, payload, cx)))
                    })
                    $(.$more($($value)?))*
                )+
            }
        }
    };
}

/// Writes the method of a builder that adds a glob.
macro_rules! adds_glob {
    ($(#[$about:meta])+ $method:ident to $globs:ident) => {
        $(#[$about])+
        ///
        /// # Panics
        ///
        /// The glob is malformed.
        #[must_use]
        #[track_caller]
        pub fn $method(mut self, glob: &str) -> Self {
            self.$globs.add(glob);
            self
        }
    };
}

mod allow_list;
mod confirm;
mod deny_list;
mod globs;
mod keep_secrets;
mod lists;
mod mcp_servers;
mod protect_paths;
mod rate_limit;
mod redact;
mod refuse_commands;
mod server_first;
mod size_limit;
#[cfg(test)]
mod tests;
mod validate;

pub use self::{
    allow_list::AllowList,
    confirm::Confirm,
    deny_list::DenyList,
    keep_secrets::KeepSecrets,
    mcp_servers::McpServers,
    protect_paths::ProtectPaths,
    rate_limit::{RateKey, RateLimit},
    redact::Redact,
    refuse_commands::RefuseCommands,
    server_first::{SESSION_OPEN, ServerFirst},
    size_limit::SizeLimit,
    validate::Validate,
};

use super::Kind;
use hooks_core::Violation;

/// Returns a refusal with the operator's reason, or with the plugin's own.
fn refusal(reason: &Option<String>, own: impl FnOnce() -> String, code: &str) -> Violation {
    Violation::new(reason.clone().unwrap_or_else(own)).code(code)
}

/// The kinds that a configuration file can name without more ado.
pub const KINDS: &[Kind] = &[
    Kind::of::<AllowList>(),
    Kind::of::<DenyList>(),
    Kind::of::<RateLimit>(),
    Kind::of::<SizeLimit>(),
    Kind::of::<Redact>(),
    Kind::of::<Confirm>(),
    Kind::of::<Validate>(),
    Kind::of::<ProtectPaths>(),
    Kind::of::<RefuseCommands>(),
    Kind::of::<KeepSecrets>(),
    Kind::of::<McpServers>(),
    Kind::of::<ServerFirst>(),
];
