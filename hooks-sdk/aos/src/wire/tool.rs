//! Calls of tools: what is asked for, and what was answered.

use serde_json::Value;

use super::TextPart;

objects! {
    /// A call of a tool that is about to happen.
    pub struct ToolCallRequest {
        /// The call. Its result has the same id.
        execution_id: String,
        /// The tool. This SDK sends the tool's name.
        tool_id: String,
        /// The arguments, by name.
        inputs: Vec<ToolInput>,

        /// Makes a call.
        fn new(
            execution_id: impl Into<String>,
            tool_id: impl Into<String>,
            inputs: Vec<ToolInput>
        );
    }

    /// One argument of a call.
    pub struct ToolInput {
        /// The argument's name.
        name: String,
        /// Its value, any JSON.
        value: Value,
        /// The id of the argument's definition.
        id?: String,

        /// Makes an argument.
        fn new(name: impl Into<String>, value: Value);
    }

    /// A call of a tool that has ended.
    pub struct CompletedToolCall {
        /// The call.
        execution_id: String,
        /// What the tool answered.
        result: ToolOutput,

        /// Makes the result of a call.
        fn new(execution_id: impl Into<String>, result: ToolOutput);
    }

    /// What a tool answered.
    pub struct ToolOutput {
        /// The answer, as text.
        outputs: Vec<TextPart>,
        /// Whether the tool failed.
        is_error: bool,

        /// Makes an answer.
        fn new(outputs: Vec<TextPart>, is_error: bool);
    }
}
