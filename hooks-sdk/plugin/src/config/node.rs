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

impl Member {
    /// Returns whether the key has a value, and no empty text.
    pub(super) fn says_something(&self) -> bool {
        match &self.node.value {
            NodeValue::Scalar(Value::String(text)) => !text.trim().is_empty(),
            value => *value != NodeValue::Scalar(Value::Null),
        }
    }
}

impl Node {
    /// Returns the members of a table; none for any other value.
    pub(super) fn members(&self) -> &[Member] {
        match &self.value {
            NodeValue::Table(members) => members,
            _ => &[],
        }
    }

    /// Returns whether it is a table without members.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.value, NodeValue::Table(members) if members.is_empty())
    }

    pub(super) fn get(&self, key: &str) -> Option<&Member> {
        self.members().iter().find(|member| member.key == key)
    }

    /// Returns whether the table has the key, with a value or without.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns the items of the list under a key; none if there is no list.
    pub(super) fn items(&self, key: &str) -> &[Node] {
        match self.get(key).map(|member| &member.node.value) {
            Some(NodeValue::List(items)) => items,
            _ => &[],
        }
    }

    /// Returns the text under a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match &self.get(key)?.node.value {
            NodeValue::Scalar(value) => value.as_str(),
            _ => None,
        }
    }

    /// Returns the line of a key, or of the table if it has no such key.
    pub(super) fn line_of(&self, key: &str) -> usize {
        self.get(key).map_or(self.line, |member| member.line)
    }

    /// Returns the line of the value at the end of a path, and the value; or those of the last one on the way that is there.
    pub(super) fn at<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> (usize, &Node) {
        let (mut line, mut node) = (self.line, self);
        for step in path {
            let next = match &node.value {
                NodeValue::List(items) => step.parse().ok().and_then(|at: usize| items.get(at)),
                _ => node.get(step).map(|member| &member.node),
            };
            let Some(next) = next else { break };
            line = node.get(step).map_or(next.line, |member| member.line);
            node = next;
        }
        (line, node)
    }

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
