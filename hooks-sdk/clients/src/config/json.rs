//! JSON with comments and trailing commas, as clients read it: `jsonc_parser`'s tree has every byte of the text.

use std::{collections::BTreeMap, path::Path};

use jsonc_parser::{
    ParseOptions,
    cst::{CstContainerNode, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode},
    errors::ParseErrorKind,
};
use serde_json::{Map, Value};

use super::{
    document::{AGAIN, Document},
    error::{ConfigError, Obstacle},
    hooks::HOOKS,
};

/// JSON with comments and trailing commas, and nothing else that JSON lacks.
pub(super) const PLAIN: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A text that can be parsed.
pub(super) struct Json<'t> {
    file: &'t Path,
    text: &'t str,
    root: CstRootNode,
}

impl<'t> Json<'t> {
    pub(super) fn parse(file: &'t Path, text: &'t str) -> Result<Json<'t>, ConfigError> {
        Json::read(file, text, &PLAIN).map_err(|(wrong, at)| {
            let mend = "correct the file, which is not valid JSON, then run this again";
            ConfigError::new(Obstacle::Syntax, file, wrong, mend).at(text, at)
        })
    }

    /// Parses a text with these options. An error has its message and its position.
    pub(super) fn read(
        file: &'t Path,
        text: &'t str,
        options: &ParseOptions,
    ) -> Result<Json<'t>, (String, usize)> {
        let said = |kind: &ParseErrorKind| {
            let mut wrong = kind.to_string();
            wrong[..1].make_ascii_lowercase();
            wrong
        };
        let root = CstRootNode::parse(text, options);
        let root = root.map_err(|error| (said(error.kind()), error.range().start))?;
        // The tree has comments also where they are not allowed.
        let comment = match options.allow_comments {
            true => None,
            false => comment(CstContainerNode::from(root.clone()).into()),
        };
        if let Some(comment) = comment {
            return Err((
                said(&ParseErrorKind::CommentsNotAllowed),
                position(&comment),
            ));
        }
        Ok(Json { file, text, root })
    }

    /// Returns the first member that an object has twice: its name, and where it is for the second time.
    pub(super) fn twice(&self) -> Option<(String, usize)> {
        twice(&self.root.value()?)
    }

    /// Follows a path. A member or element that is not there ends it; one that is neither object nor list is an error.
    fn node(&self, path: &[String]) -> Result<Option<CstNode>, ConfigError> {
        let (mut node, mut name) = (self.root.value(), None);
        for step in path {
            let Some(above) = node else {
                return Ok(None);
            };
            node = match above.as_array().zip(step.parse::<usize>().ok()) {
                Some((list, at)) => list.elements().into_iter().nth(at),
                None => {
                    let object = self.as_object(&above, name)?;
                    self.member(&object, step)?.and_then(|it| it.value())
                }
            };
            name = Some(step);
        }
        Ok(node)
    }

    fn object_at(&self, path: &[String]) -> Result<Option<CstObject>, ConfigError> {
        let node = self.node(path)?;
        let object = node.map(|node| self.as_object(&node, path.last()));
        object.transpose()
    }

    /// Returns the object at a path, which is made if it is not there.
    fn made_object(&self, path: &[String]) -> Result<CstObject, ConfigError> {
        if let Some(object) = self.object_at(path)? {
            return Ok(object);
        }
        let root = self.root.object_value_or_set();
        let made = |object: CstObject, name: &String| object.object_value_or_set(name);
        Ok(path.iter().fold(root, made))
    }

    /// Returns the member of this name. Two are an error, because parsers differ in which one counts, unless the name has
    /// the number of one.
    fn member(&self, object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, ConfigError> {
        let numbered = name.split_once(AGAIN);
        let number = numbered.and_then(|(_, number)| number.parse().ok());
        let name = numbered.map_or(name, |(name, _)| name);
        let members = object.properties().into_iter();
        let mut found = members.filter(|it| it.decoded_name().as_deref() == Some(name));
        if let Some(number) = number {
            return Ok(found.nth(number));
        }
        let first = found.next();
        match found.next() {
            Some(second) => {
                let wrong = format!("`{name}` occurs twice");
                Err(self.misshapen(&second.into(), wrong, "keep one of the two"))
            }
            None => Ok(first),
        }
    }

    fn as_object(&self, value: &CstNode, name: Option<&String>) -> Result<CstObject, ConfigError> {
        value.as_object().ok_or_else(|| {
            let name = name.map_or("the file".to_owned(), |name| format!("`{name}`"));
            let wrong = format!("{name} is {}, not an object", kind(value));
            self.misshapen(value, wrong, "make it an object, or remove it")
        })
    }

    fn misshapen(&self, node: &CstNode, wrong: String, mend: &str) -> ConfigError {
        ConfigError::new(Obstacle::Shape, self.file, wrong, mend).at(self.text, position(node))
    }
}

impl Document for Json<'_> {
    fn value(&self) -> Value {
        self.root.to_serde_value().unwrap_or_default()
    }

    fn every(&self) -> Value {
        self.root.value().as_ref().map(every).unwrap_or_default()
    }

    fn get(&self, path: &[String]) -> Result<Option<Value>, ConfigError> {
        Ok(self.node(path)?.and_then(|node| node.to_serde_value()))
    }

    fn list(&self, path: &[String]) -> Result<Vec<Value>, ConfigError> {
        let Some(node) = self.node(path)? else {
            return Ok(Vec::new());
        };
        match node.to_serde_value() {
            Some(Value::Array(list)) => Ok(list),
            _ => {
                let name = path.last().map_or("", String::as_str);
                let wrong = format!("`{name}` is {}, not a list", kind(&node));
                Err(self.misshapen(&node, wrong, "make it a list of hooks, or remove it"))
            }
        }
    }

    fn hooks(&self, event: &str) -> Vec<String> {
        vec![HOOKS.to_owned(), event.to_owned()]
    }

    fn merge(&mut self, path: &[String], members: &Value) -> Result<(), ConfigError> {
        let object = self.made_object(path)?;
        for (name, value) in members.as_object().into_iter().flatten() {
            match object.get(name) {
                Some(member) if value.is_null() => remove(member.into()),
                None if value.is_null() => {}
                Some(member) if member.to_serde_value().as_ref() == Some(value) => {}
                Some(member) => member.set_value(input(value)),
                None => _ = object.append(name, input(value)),
            }
        }
        Ok(())
    }

    fn append(&mut self, path: &[String], value: &Value) -> Result<(), ConfigError> {
        self.list(path)?;
        if let Some((name, above)) = path.split_last() {
            let list = self.made_object(above)?.array_value_or_set(name);
            list.append(input(value));
        }
        Ok(())
    }

    fn remove(&mut self, path: &[String]) -> Result<(), ConfigError> {
        if let Some(node) = self.node(path)? {
            remove(with_name(node));
        }
        Ok(())
    }

    fn remove_bare(&mut self, path: &[String], before: Option<&Value>) -> Result<(), ConfigError> {
        for end in (1..=path.len()).rev() {
            let path = &path[..end];
            let names = path.iter().map(|name| name.split(AGAIN).next());
            let was_there =
                before.and_then(|it| names.flatten().try_fold(it, |at, name| at.get(name)));
            let node = self.node(path)?.filter(|_| was_there.is_none());
            if node.is_some_and(|it| matches!(it, CstNode::Container(_)) && is_bare(&it.children()))
            {
                self.remove(path)?;
            }
        }
        Ok(())
    }

    fn has_only(&self, members: &[String]) -> bool {
        let is_one = |member: CstObjectProp| {
            let name = member.decoded_name().unwrap_or_default();
            members.contains(&name)
        };
        let only = self.root.value().is_none_or(|root| {
            let object = root.as_object();
            object.is_some_and(|object| object.properties().into_iter().all(is_one))
        });
        only && comment(CstContainerNode::from(self.root.clone()).into()).is_none()
    }

    fn position(&self, path: &[String], of_name: bool) -> Option<usize> {
        let node = self.node(path).ok()??;
        Some(position(&if of_name { with_name(node) } else { node }))
    }

    fn edited(&self) -> Result<String, ConfigError> {
        Ok(self.root.to_string())
    }
}

/// Returns the member whose value this is, or else the element itself.
fn with_name(node: CstNode) -> CstNode {
    let member = node.parent().and_then(|above| above.as_object_prop());
    member.map_or(node, CstNode::from)
}

/// Removes a member or an element with its comma and its line. A comment of the user in that line stays.
fn remove(node: CstNode) {
    let is_before = |it: &CstNode| it.is_trivia() && !it.is_newline();
    let is_after = |it: &CstNode| is_before(it) || it.is_comma();
    let before = node.previous_siblings().take_while(is_before);
    let after = node.next_siblings().take_while(is_after);
    let is_commented = before.chain(after).any(|it| it.is_comment());
    if !is_commented {
        return node.remove();
    }
    let earlier = node.previous_siblings().find(CstNode::is_comma);
    let comma = node.trailing_comma().map(CstNode::from).or(earlier);
    comma.into_iter().for_each(CstNode::remove);
    // The brackets last: an object without them has no members.
    let inside = node.children_exclude_trivia_and_tokens();
    inside.into_iter().for_each(CstNode::remove);
    node.children().into_iter().for_each(CstNode::remove);
}

/// Returns whether the children of an object or a list are its brackets only.
fn is_bare(children: &[CstNode]) -> bool {
    let inside = children.get(1..children.len() - 1).unwrap_or_default();
    let mut inside = inside.iter();
    inside.all(|it| it.is_whitespace() || it.is_newline())
}

/// Returns the first comment.
fn comment(node: CstNode) -> Option<CstNode> {
    match node.is_comment() {
        true => Some(node),
        false => node.children().into_iter().find_map(comment),
    }
}

/// Returns a value in which each of several members of one name has its number.
fn every(node: &CstNode) -> Value {
    if let Some(list) = node.as_array() {
        return list.elements().iter().map(every).collect();
    }
    let Some(object) = node.as_object() else {
        return node.to_serde_value().unwrap_or_default();
    };
    let members = object.properties().into_iter();
    let members = members.filter_map(|it| Some((it.decoded_name()?, every(&it.value()?))));
    let members: Vec<(String, Value)> = members.collect();
    let mut counts = BTreeMap::<String, (usize, usize)>::new();
    for (name, _) in &members {
        counts.entry(name.clone()).or_default().0 += 1;
    }
    let numbered = members.into_iter().map(|(name, value)| {
        let (all, before) = counts.entry(name.clone()).or_default();
        let number = *before;
        *before += 1;
        match *all {
            1 => (name, value),
            // The names of a tree are in the order of their letters.
            _ => (format!("{name}{AGAIN}{number:09}"), value),
        }
    });
    Value::Object(numbered.collect())
}

fn twice(node: &CstNode) -> Option<(String, usize)> {
    let members = node.as_object().map(|it| it.properties());
    let mut names = Vec::new();
    for member in members.iter().flatten() {
        let name = member.decoded_name()?;
        if names.contains(&name) {
            return Some((name, position(&member.clone().into())));
        }
        names.push(name);
        if let Some(found) = member.value().and_then(|value| twice(&value)) {
            return Some(found);
        }
    }
    let elements = node.as_array().map(|it| it.elements());
    elements.iter().flatten().find_map(twice)
}

/// Returns where a node begins in a text without edits.
fn position(node: &CstNode) -> usize {
    let length = |node: CstNode| node.to_string().len();
    let before = node.previous_siblings().map(length).sum::<usize>();
    let above = node.ancestors().flat_map(|above| {
        let above = CstNode::from(above);
        above.previous_siblings().collect::<Vec<_>>()
    });
    before + above.map(length).sum::<usize>()
}

/// Returns a value as the tree takes it.
fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => CstInputValue::Bool(*truth),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => {
            let members = members.iter();
            CstInputValue::Object(
                members
                    .map(|(name, it)| (name.clone(), input(it)))
                    .collect(),
            )
        }
    }
}

/// Returns the text of a new file with these members.
pub(super) fn document(members: &Map<String, Value>) -> String {
    format!("{:#}\n", Value::Object(members.clone()))
}

fn kind(of: &CstNode) -> &'static str {
    match of {
        CstNode::Container(CstContainerNode::Object(_)) => "an object",
        CstNode::Container(_) => "a list",
        _ if of.as_string_lit().is_some() => "a string",
        _ if of.as_number_lit().is_some() => "a number",
        _ if of.as_boolean_lit().is_some() => "a boolean",
        _ => "null",
    }
}
