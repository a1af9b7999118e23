//! Calls of tools: what is asked for, and what was answered.

use serde_json::Value;

use super::{TextPart, object::objects};

objects! {
    /// A call of a tool that is about to happen.
    pub struct ToolCallRequest {
        /// The call. Its result has the same id.
        pub execution_id: String,
        /// The tool. This SDK sends the tool's name.
        pub tool_id: String,
        /// The arguments, by name.
        pub inputs: Vec<ToolInput>,
    }

    /// Makes a call.
    pub fn new(
        execution_id: impl Into<String>,
        tool_id: impl Into<String>,
        inputs: Vec<ToolInput>
    );

    /// One argument of a call.
    pub struct ToolInput {
        /// The argument's name.
        pub name: String,
        /// Its value, any JSON.
        pub value: Value,
        /// The id of the argument's definition.
        pub id?: String,
    }

    /// Makes an argument.
    pub fn new(name: impl Into<String>, value: Value);

    /// A call of a tool that has ended.
    pub struct CompletedToolCall {
        /// The call.
        pub execution_id: String,
        /// What the tool answered.
        pub result: ToolOutput,
    }

    /// Makes the result of a call.
    pub fn new(execution_id: impl Into<String>, result: ToolOutput);

    /// What a tool answered.
    pub struct ToolOutput {
        /// The answer, as text.
        pub outputs: Vec<TextPart>,
        /// Whether the tool failed.
        pub is_error: bool,
    }

    /// Makes an answer.
    pub fn new(outputs: Vec<TextPart>, is_error: bool);
}
