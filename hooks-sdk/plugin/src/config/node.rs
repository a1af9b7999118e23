//! The values of a configuration file, each with its line.

use serde_json::{Map, Value};

/// How deep values may stand in each other.
pub(super) const MAX_DEPTH: usize = 32;

/// A value and the line in which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: NodeValue,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeValue {
    /// A text, a number, a truth value or `null`.
    Scalar(Value),
    List(Vec<Node>),
    Table(Vec<Member>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) line: usize,
    pub(super) node: Node,
}

impl Node {
    /// Returns the value as JSON.
    pub(super) fn json(&self) -> Value {
        match &self.value {
            NodeValue::Scalar(value) => value.clone(),
            NodeValue::List(items) => items.iter().map(Node::json).collect(),
            NodeValue::Table(members) => {
                let members = members.iter();
                let members = members.map(|member| (member.key.clone(), member.node.json()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// Returns the line of the value at the end of a path, or of the last value on the way that is there.
    pub(super) fn line_at(&self, path: &[String]) -> usize {
        let (mut node, mut line) = (self, self.line);
        for step in path {
            let next = match &node.value {
                NodeValue::Table(members) => members
                    .iter()
                    .find(|member| member.key == *step)
                    .map(|member| (&member.node, member.line)),
                NodeValue::List(items) => {
                    let at: Option<usize> = step.parse().ok();
                    at.and_then(|at| items.get(at))
                        .map(|item| (item, item.line))
                }
                NodeValue::Scalar(_) => None,
            };
            let Some((found, at)) = next else {
                return line;
            };
            (node, line) = (found, at);
        }
        line
    }

    /// Returns what the value is, for a message.
    pub(super) fn what(&self) -> &'static str {
        match &self.value {
            NodeValue::Scalar(Value::Null) => "nothing",
            NodeValue::Scalar(Value::Bool(_)) => "a truth value",
            NodeValue::Scalar(Value::Number(_)) => "a number",
            NodeValue::Scalar(_) => "a text",
            NodeValue::List(_) => "a list",
            NodeValue::Table(_) => "a table",
        }
    }
}
