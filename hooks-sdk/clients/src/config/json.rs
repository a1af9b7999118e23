//! JSON with comments and trailing commas, as clients read it: `jsonc_parser`'s tree has every byte of the text, and an edit
//! changes only what it is about.

use std::path::Path;

use jsonc_parser::{
    ParseOptions,
    cst::{CstContainerNode, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode},
};
use serde_json::{Map, Value};

use super::error::{ConfigError, Obstacle};

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
        let root = CstRootNode::parse(text, &PLAIN).map_err(|error| {
            let mut wrong = error.kind().to_string();
            wrong[..1].make_ascii_lowercase();
            let mend = "correct the file, which is not valid JSON, then run this again";
            ConfigError::new(Obstacle::Syntax, file, wrong, mend).at(text, error.range().start)
        })?;
        Ok(Json { file, text, root })
    }

    /// Returns the text with its edits.
    pub(super) fn edited(&self) -> String {
        self.root.to_string()
    }

    /// Returns the whole value; `None` if the text has none.
    pub(super) fn value(&self) -> Option<Value> {
        self.root.to_serde_value()
    }

    /// Follows a path of members through objects. A member that is not there ends it; one that is no object is an error.
    pub(super) fn object(&self, path: &[&str]) -> Result<Option<CstObject>, ConfigError> {
        let Some(root) = self.root.value() else {
            return Ok(None);
        };
        let mut object = self.as_object(&root, None)?;
        for name in path {
            let Some(value) = self.member(&object, name)?.and_then(|it| it.value()) else {
                return Ok(None);
            };
            object = self.as_object(&value, Some(name))?;
        }
        Ok(Some(object))
    }

    /// Returns the object at a path, which is made if it is not there.
    pub(super) fn made_object(&self, path: &[&str]) -> Result<CstObject, ConfigError> {
        if let Some(object) = self.object(path)? {
            return Ok(object);
        }
        let mut object = self.root.object_value_or_set();
        for name in path {
            object = object.object_value_or_set(name);
        }
        Ok(object)
    }

    /// Returns the member of this name. Two are an error, because parsers differ in which one counts.
    pub(super) fn member(
        &self,
        object: &CstObject,
        name: &str,
    ) -> Result<Option<CstObjectProp>, ConfigError> {
        let members = object.properties().into_iter();
        let mut found = members.filter(|it| it.decoded_name().as_deref() == Some(name));
        let first = found.next();
        match found.next() {
            Some(second) => {
                let wrong = format!("`{name}` occurs twice");
                Err(self.misshapen(&second.into(), wrong, "keep one of the two"))
            }
            None => Ok(first),
        }
    }

    fn as_object(&self, value: &CstNode, name: Option<&str>) -> Result<CstObject, ConfigError> {
        value.as_object().ok_or_else(|| {
            let name = name.map_or("the file".to_owned(), |name| format!("`{name}`"));
            let wrong = format!("{name} is {}, not an object", kind(value));
            self.misshapen(value, wrong, "make it an object, or remove it")
        })
    }

    /// Returns the error that the value of a member is no list.
    pub(super) fn no_list(&self, name: &str, value: &CstNode) -> ConfigError {
        let wrong = format!("`{name}` is {}, not a list", kind(value));
        self.misshapen(value, wrong, "make it a list of hooks, or remove it")
    }

    fn misshapen(&self, node: &CstNode, wrong: String, mend: &str) -> ConfigError {
        ConfigError::new(Obstacle::Shape, self.file, wrong, mend).at(self.text, position(node))
    }

    /// Returns where the member at the end of a path begins.
    pub(super) fn position(&self, path: &[&str], name: &str) -> Option<usize> {
        let member = self.object(path).ok()??.get(name)?;
        Some(position(&member.into()))
    }

    /// Removes the objects at a path that have nothing left and that the text before had not, the innermost first.
    pub(super) fn remove_bare(&self, path: &[&str], before: Option<&Value>) {
        for end in (1..=path.len()).rev() {
            let (name, above) = (path[end - 1], &path[..end - 1]);
            let was_there = path[..end]
                .iter()
                .try_fold(before, |at, name| Some(at?.get(*name)))
                .flatten();
            let member = self.object(above).ok().flatten();
            let Some(member) = member.and_then(|object| object.get(name)) else {
                continue;
            };
            let value = member.object_value();
            if was_there.is_none() && value.is_some_and(|it| is_bare(&it.children())) {
                remove(member.into());
            }
        }
    }

    /// Returns whether the file has no other members than these, and no comment.
    pub(super) fn has_only(&self, members: &[String]) -> bool {
        let is_one = |member: CstObjectProp| {
            let name = member.decoded_name().unwrap_or_default();
            members.contains(&name)
        };
        let root = self.root.value();
        let only = root.is_none_or(|root| {
            let object = root.as_object();
            object.is_some_and(|object| object.properties().into_iter().all(is_one))
        });
        only && !has_comment(CstContainerNode::from(self.root.clone()).into())
    }
}

/// Removes a member or an element with its comma and its line. A comment of the user in that line stays.
pub(super) fn remove(node: CstNode) {
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
pub(super) fn is_bare(children: &[CstNode]) -> bool {
    let inside = children.get(1..children.len() - 1).unwrap_or_default();
    let mut inside = inside.iter();
    inside.all(|it| it.is_whitespace() || it.is_newline())
}

fn has_comment(node: CstNode) -> bool {
    node.is_comment() || node.children().into_iter().any(has_comment)
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

/// Sets members of an object. Other members stay.
pub(super) fn set_members<'v>(
    object: &CstObject,
    members: impl IntoIterator<Item = (&'v String, &'v Value)>,
) {
    for (name, value) in members {
        match object.get(name) {
            Some(member) if member.to_serde_value().as_ref() == Some(value) => {}
            Some(member) => member.set_value(input(value)),
            None => _ = object.append(name, input(value)),
        }
    }
}

/// Returns a value as the tree takes it.
pub(super) fn input(value: &Value) -> CstInputValue {
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
