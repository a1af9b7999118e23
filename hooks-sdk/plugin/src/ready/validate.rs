//! `validate`: checks arguments and structured results against the tool's own schemas.

use std::convert::Infallible;

use serde::Deserialize;
use serde_json::Value;

use super::super::{PluginContext, ToolCall, ToolResult, schema};
use hooks_core::{Verdict, Violation, internal::setters};

/// Checks arguments against the tool's `inputSchema` and structured results against its `outputSchema`.
///
/// ```yaml
/// kind: validate
/// config: { arguments: true, results: true }
/// ```
///
/// ```
/// use hooks_sdk::plugin::ready::Validate;
///
/// let validate = Validate::new().results(false);
/// ```
///
/// Arguments are checked again after the last change of the call. A schema is compiled once. A tool without such a schema
/// is not checked; neither is a result with `isError`. A tool whose definition the server does not know is refused. A
/// result without structured content does not fit an `outputSchema`. The codes are `invalid_arguments`, `invalid_result`
/// and `unknown_definition`; the reason names the place and never the value.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Validate {
    arguments: bool,
    results: bool,
}

impl Default for Validate {
    fn default() -> Validate {
        Validate {
            arguments: true,
            results: true,
        }
    }
}

impl Validate {
    setters! {
        /// Sets whether arguments are checked.
        fn arguments(mut self, checked: bool) { self.arguments = checked }

        /// Sets whether structured results are checked.
        fn results(mut self, checked: bool) { self.results = checked }
    }

    fn call(&self, call: &ToolCall, cx: &PluginContext) -> Verdict<Infallible> {
        if !self.arguments {
            return Verdict::Allow;
        }
        let Some(definition) = cx.global.definition() else {
            return unknown(&call.name, "arguments");
        };
        let Some(schema) = definition.get("inputSchema") else {
            return Verdict::Allow;
        };
        let Err(wrong) = schema::validate(schema, &Value::Object(call.args.clone())) else {
            return Verdict::Allow;
        };
        let reason = format!(
            "the arguments of `{}` do not fit its schema: {wrong}",
            call.name
        );
        let mut violation = Violation::new(reason).code("invalid_arguments");
        violation.description =
            "call again with arguments that fit the tool's `inputSchema`".to_owned();
        Verdict::Deny(violation)
    }

    fn answer(&self, answer: &ToolResult, cx: &PluginContext) -> Verdict<Infallible> {
        if !self.results || answer.result["isError"] == true {
            return Verdict::Allow;
        }
        let Some(definition) = cx.global.definition() else {
            return unknown(&answer.name, "result");
        };
        let Some(schema) = definition.get("outputSchema") else {
            return Verdict::Allow;
        };
        let wrong = match answer.result.get("structuredContent") {
            Some(structured) => schema::validate(schema, structured),
            None => Err("it has no structured content".to_owned()),
        };
        let Err(wrong) = wrong else {
            return Verdict::Allow;
        };
        let reason = format!(
            "the result of `{}` does not fit its schema: {wrong}",
            answer.name
        );
        Verdict::Deny(Violation::new(reason).code("invalid_result"))
    }
}

/// Refuses what cannot be checked.
fn unknown(tool: &str, part: &str) -> Verdict<Infallible> {
    let reason = format!(
        "the server does not know the definition of `{tool}`, so the {part} cannot be checked"
    );
    let mut violation = Violation::new(reason).code("unknown_definition");
    violation.description =
        "check the name with `tools/list`; if it is right, call again later".to_owned();
    Verdict::Deny(violation)
}

ready!(Validate = "validate", "Creates a plugin that checks arguments and results." {
    tool_pre_invoke => Validate::call, again;
    tool_post_invoke => Validate::answer, again;
});
