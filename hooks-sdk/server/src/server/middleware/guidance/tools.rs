//! The two tools that an author may switch on: one composes guidance, and one registers a hook.

use rmcp::{
    model::{CallToolResult, ContentBlock, JsonObject, Tool},
    object,
};
use serde_json::{Value, json};

use super::{Guide, RequestGuidance, compose::Ask};
use crate::server::pipeline::Author;
use hooks_core::{
    BuildError,
    guidance::{
        HookInput, HookType, Lifecycle, McpFeature, McpFeatures, Moment, RegisterError,
        RequirementLevel,
    },
    text::MAX_TEXT,
};

const TRIGGER: &str = "hooks_trigger";
const REGISTER: &str = "hooks_register";

/// How many bytes the arguments of [`REGISTER`] may have as JSON: a text, and as much again for all other members.
const MAX_ARGUMENTS: usize = 2 * MAX_TEXT;

/// The arguments of [`REGISTER`].
const MEMBERS: [&str; 11] = [
    "tag",
    "type",
    "lifecycle",
    "name",
    "requirementLevel",
    "content",
    "description",
    "priority",
    "tool",
    "tags",
    "conditions",
];

impl Guide {
    /// Returns the tools that the author switched on.
    pub(crate) fn tools(&self) -> impl Iterator<Item = Tool> {
        let trigger = self.settings.triggers.then(trigger);
        let register = self.settings.registers.then(register);
        trigger.into_iter().chain(register)
    }

    /// Returns a problem for each tool whose name one of the author's tools already has.
    pub(crate) fn problems(&self, author: &dyn Author) -> Vec<BuildError> {
        let clashes = (self.tools()).filter(|tool| author.tool(&tool.name).is_some());
        let problem = |tool: Tool| {
            let message = format!(
                "the guidance serves a tool `{0}`, and the server has a tool `{0}` of its own",
                tool.name
            );
            BuildError::new(
                None,
                message,
                "rename the server's tool, or leave the guidance's off",
            )
        };
        clashes.map(problem).collect()
    }
}

impl RequestGuidance<'_> {
    /// Answers a call of one of these tools.
    pub(super) async fn serve(self, name: &str, arguments: Option<&JsonObject>) -> CallToolResult {
        let none = JsonObject::new();
        let arguments = arguments.unwrap_or(&none);
        let answer = match name {
            TRIGGER => self.trigger(arguments).await,
            _ => self.register_for_session(arguments),
        };
        answer.unwrap_or_else(|problem| {
            CallToolResult::error(vec![ContentBlock::text(format!("`{name}`: {problem}"))])
        })
    }

    async fn trigger(self, arguments: &JsonObject) -> Result<CallToolResult, String> {
        let hook_type: HookType = word(arguments, "type")?;
        let lifecycle: Lifecycle = word(arguments, "lifecycle")?;
        let features = match arguments.get("features") {
            None | Some(Value::Null) => None,
            Some(Value::Array(words)) => {
                let feature = |word: &Value| {
                    let word = word.as_str().ok_or("`features` is not a list of strings")?;
                    let feature = word.parse::<McpFeature>();
                    feature.map_err(|problem| format!("`features`: {problem}"))
                };
                let features = words.iter().map(feature);
                Some(features.collect::<Result<McpFeatures, String>>()?)
            }
            Some(_) => return Err("`features` is not a list of strings".to_owned()),
        };
        let config = match arguments.get("config") {
            None | Some(Value::Null) => None,
            Some(Value::Object(config)) => Some(config),
            Some(_) => return Err("`config` is not an object".to_owned()),
        };
        let tool = text(arguments, "tool")?;
        let moments = [Moment::new(hook_type, lifecycle)];
        let mut ask = Ask {
            tool,
            any_tool: tool.is_none(),
            storage: text(arguments, "storage")?,
            config,
            ..self.ask(&moments)
        };
        ask.features = features.unwrap_or(ask.features);
        let composed = self.compose(&ask).await;
        let text = match &*composed.content {
            "" => "No hook fires then.",
            content => content,
        };
        let mut content = vec![ContentBlock::text(text)];
        content.extend(composed.notices.iter().map(ContentBlock::text));
        let mut result = CallToolResult::success(content);
        result.structured_content = serde_json::to_value(&composed).ok();
        Ok(result)
    }

    fn register_for_session(self, arguments: &JsonObject) -> Result<CallToolResult, String> {
        let Some(session) = self.session_id() else {
            let problem = "nothing tells whose session it is, so no hook can be bound to it";
            return Err(problem.to_owned());
        };
        // The agent may choose neither a file of the server nor the session or request to which the hook is bound.
        let is_unknown = |key: &&String| !MEMBERS.contains(&key.as_str());
        if let Some(unknown) = arguments.keys().find(is_unknown) {
            return Err(format!(
                "`{unknown}` is none of its arguments: `{}`",
                MEMBERS.join("`, `")
            ));
        }
        let bytes = serde_json::to_vec(arguments).map_or(usize::MAX, |json| json.len());
        if bytes > MAX_ARGUMENTS {
            return Err(format!(
                "the arguments are longer than {MAX_ARGUMENTS} bytes: shorten the longest one"
            ));
        }
        let text = match text(arguments, "content")? {
            Some(text) if text.len() > MAX_TEXT => {
                return Err(format!("`content` is longer than {MAX_TEXT} bytes"));
            }
            Some(text) if !text.trim().is_empty() => text,
            _ => return Err("`content` is missing: write what the agent should read".to_owned()),
        };
        let mut given = arguments.clone();
        given.remove("content");
        let mut input =
            HookInput::try_from(&Value::Object(given)).map_err(|invalid| invalid.to_string())?;
        input = input.text(text).session_id(session.to_owned());
        input.tool = self::text(arguments, "tool")?.map(|tool| tool.to_owned().into());
        let id = self.register(input).map_err(|error| match error {
            RegisterError::Duplicate(id) => {
                format!("there is a hook with the id `{id}`; choose another `tag`")
            }
            other => other.to_string(),
        })?;
        let told = format!("Registered `{id}` for this session.");
        Ok(CallToolResult::success(vec![ContentBlock::text(told)]))
    }
}

fn word<T: std::str::FromStr<Err: ToString>>(
    arguments: &JsonObject,
    key: &str,
) -> Result<T, String> {
    let word = text(arguments, key)?.ok_or_else(|| format!("`{key}` is missing"))?;
    word.parse()
        .map_err(|problem: T::Err| format!("`{key}`: {}", problem.to_string()))
}

/// Returns a text among the arguments of a tool or a prompt.
/// Returns the problem if the argument is no text.
pub(super) fn text<'a>(arguments: &'a JsonObject, key: &str) -> Result<Option<&'a str>, String> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` is not a string")),
    }
}

fn trigger() -> Tool {
    let schema = object!({
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": HookType::WORDS, "description": "What the hooks are about." },
            "lifecycle": { "type": "string", "enum": Lifecycle::WORDS, "description": "When they fire." },
            "storage": { "type": "string", "description": "The storage backend that is active; otherwise the server's own." },
            "features": {
                "type": "array",
                "items": { "type": "string", "enum": McpFeature::WORDS },
                "description": "The MCP features that are available; otherwise those of this client and server."
            },
            "config": { "type": "object", "description": "The configuration; otherwise the server's own." },
            "tool": { "type": "string", "description": "The tool that action hooks are about; otherwise any." }
        },
        "required": ["type", "lifecycle"]
    });
    Tool::new(
        TRIGGER,
        "Composes the server's guidance for a moment.",
        schema,
    )
}

fn register() -> Tool {
    let conditions = json!({
        "type": "object",
        "properties": {
            "requiresStorage": { "type": "array", "items": { "type": "string" } },
            "requiresFeatures": { "type": "array", "items": { "type": "string", "enum": McpFeature::WORDS } },
            "requiresConfig": { "type": "object" }
        }
    });
    let schema = object!({
        "type": "object",
        "properties": {
            "tag": { "type": "string", "pattern": "^[a-z0-9-]+$", "description": "A short id in kebab-case." },
            "type": { "type": "string", "enum": HookType::WORDS, "description": "What the hook is about." },
            "lifecycle": { "type": "string", "enum": Lifecycle::WORDS, "description": "When it fires." },
            "name": { "type": "string", "minLength": 1, "description": "A name for people." },
            "requirementLevel": { "type": "string", "enum": RequirementLevel::WORDS },
            "content": { "type": "string", "description": "The markdown that is shown when it fires." },
            "description": { "type": "string" },
            "priority": { "type": "integer", "description": "Higher first; 50 when not given." },
            "tool": { "type": "string", "description": "For an action hook: the tools it is about, as a glob." },
            "tags": { "type": "array", "items": { "type": "string" } },
            "conditions": conditions
        },
        "required": ["tag", "type", "lifecycle", "name", "requirementLevel", "content"],
        "additionalProperties": false
    });
    let about = "Adds a hook to the server's guidance, for this session only.";
    Tool::new(REGISTER, about, schema)
}
