//! The user of a dry server, who answers the questions of hooks.

use std::collections::VecDeque;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

/// What the user answers to every question.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum UserAnswer {
    /// The user agrees
    Yes,
    /// The user says no
    No,
    /// The user closes the question
    Cancel,
}

/// What the user was asked, and answers.
#[derive(Debug, Default)]
pub(super) struct JudgedUser {
    pub(super) answers: VecDeque<Value>,
    pub(super) otherwise: Option<UserAnswer>,
    pub(super) asked: Vec<String>,
    /// The number of the question to which there is no answer, from 0.
    pub(super) unanswered: Option<usize>,
}

impl JudgedUser {
    pub(super) fn answer(&mut self, params: &Value) -> Value {
        let message = params["message"].as_str().unwrap_or_default();
        self.asked.push(message.to_owned());
        if let Some(answer) = self.answers.pop_front() {
            return answer;
        }
        match self.otherwise {
            Some(UserAnswer::Yes) => {
                let properties = params["requestedSchema"]["properties"].as_object();
                let content: Map<String, Value> = properties
                    .into_iter()
                    .flatten()
                    .map(|(name, schema)| (name.clone(), agreed(schema)))
                    .collect();
                json!({ "action": "accept", "content": content })
            }
            Some(UserAnswer::No) => json!({ "action": "decline" }),
            Some(UserAnswer::Cancel) => json!({ "action": "cancel" }),
            None => {
                self.unanswered.get_or_insert(self.asked.len() - 1);
                json!({ "action": "cancel" })
            }
        }
    }
}

/// Returns the answer of a user who agrees to everything.
fn agreed(schema: &Value) -> Value {
    let first = || schema["enum"].get(0).cloned();
    match schema["type"].as_str() {
        Some("boolean") => Value::Bool(true),
        _ if schema.get("default").is_some() => schema["default"].clone(),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        _ => first().unwrap_or(json!("yes")),
    }
}
