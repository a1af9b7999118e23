//! JSON with comments and trailing commas, as clients read it: its values, and where each of them stands.

mod edit;
mod render;
mod tree;

use std::{ops::Range, path::Path};

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions,
    ast::{self, Object, ObjectProp},
    common::Ranged,
    parse_to_ast,
    tokens::Token,
};
use serde_json::{Map, Value};

use super::error::{ConfigError, Obstacle};

pub(super) use edit::Item;
pub(super) use tree::{drop_bare, steps};

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

/// A step from a value into one that it holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'s> {
    Member(&'s str),
    Element(usize),
}

/// Where a container and what is in it stand.
pub(super) struct Container {
    /// Behind the opening bracket.
    inside: usize,
    /// Before the closing one.
    close: usize,
    items: Vec<Range<usize>>,
    /// Where the item begins that the container is the value of.
    owner: usize,
    root: bool,
}

/// A text that reads well.
pub(super) struct Json<'t> {
    file: &'t Path,
    text: &'t str,
    root: Option<ast::Value<'t>>,
    /// Commas and comments, in order.
    marks: Vec<(Range<usize>, Mark)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Comma,
    Comment,
}

/// How far a path of members could be followed.
pub(super) enum Reach<'j, 't> {
    /// To its end.
    Whole(&'j Object<'t>),
    /// To an object that lacks the member of this index.
    Part(usize),
}

impl<'t> Json<'t> {
    pub(super) fn parse(file: &'t Path, text: &'t str) -> Result<Json<'t>, ConfigError> {
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let parsed = parse_to_ast(text, &collect, &PLAIN).map_err(|error| {
            let mut wrong = error.kind().to_string();
            wrong[..1].make_ascii_lowercase();
            let mend = "correct the file, which is not valid JSON, then run this again";
            ConfigError::new(Obstacle::Syntax, file, wrong, mend).at(text, error.range().start)
        })?;
        let tokens = parsed.tokens.unwrap_or_default().into_iter();
        let marks = tokens.filter_map(|token| {
            let mark = match token.token {
                Token::Comma => Mark::Comma,
                Token::CommentLine(_) | Token::CommentBlock(_) => Mark::Comment,
                _ => return None,
            };
            Some((token.range.start..token.range.end, mark))
        });
        Ok(Json {
            file,
            text,
            root: parsed.value,
            marks: marks.collect(),
        })
    }

    /// Returns the whole value; `None` if the text has none.
    pub(super) fn root_value(&self) -> Option<Value> {
        self.root.as_ref().map(value)
    }

    /// Follows a path of members through objects; what is there and no object is an error.
    pub(super) fn reach(&self, path: &[String]) -> Result<Reach<'_, 't>, ConfigError> {
        let Some(root) = &self.root else {
            return Ok(Reach::Part(0));
        };
        let mut object = self.object(root, None)?;
        for (depth, name) in path.iter().enumerate() {
            match self.member(object, name)? {
                Some(member) => object = self.object(&member.value, Some(name))?,
                None => return Ok(Reach::Part(depth)),
            }
        }
        Ok(Reach::Whole(object))
    }

    /// Returns the member of this name; two are an error, since parsers differ in which one counts.
    pub(super) fn member<'j>(
        &self,
        object: &'j Object<'t>,
        name: &str,
    ) -> Result<Option<&'j ObjectProp<'t>>, ConfigError> {
        let mut found = (object.properties.iter()).filter(|member| member.name.as_str() == name);
        let first = found.next();
        if let Some(second) = found.next() {
            let wrong = format!("`{name}` occurs twice");
            return Err(self.misshapen(second.start(), wrong, "keep one of the two"));
        }
        Ok(first)
    }

    fn object<'j>(
        &self,
        value: &'j ast::Value<'t>,
        name: Option<&str>,
    ) -> Result<&'j Object<'t>, ConfigError> {
        value.as_object().ok_or_else(|| {
            let name = name.map_or("the file".to_owned(), |name| format!("`{name}`"));
            let wrong = format!("{name} is {}, not an object", kind(value));
            self.misshapen(value.start(), wrong, "make it an object, or remove it")
        })
    }

    /// Returns the list that a member holds.
    pub(super) fn list<'j>(
        &self,
        member: &'j ObjectProp<'t>,
    ) -> Result<&'j ast::Array<'t>, ConfigError> {
        member.value.as_array().ok_or_else(|| {
            let name = member.name.as_str();
            let wrong = format!("`{name}` is {}, not a list", kind(&member.value));
            self.misshapen(
                member.value.start(),
                wrong,
                "make it a list of hooks, or remove it",
            )
        })
    }

    pub(super) fn misshapen(&self, at: usize, wrong: String, mend: &str) -> ConfigError {
        ConfigError::new(Obstacle::Shape, self.file, wrong, mend).at(self.text, at)
    }

    /// What steps lead to, with the place where the item begins that holds it.
    pub(super) fn find(&self, steps: &[Step<'_>]) -> Option<(&ast::Value<'t>, usize)> {
        let mut value = self.root.as_ref()?;
        let mut owner = value.start();
        for step in steps {
            (value, owner) = match step {
                Step::Member(name) => {
                    let member = value.as_object()?.get(name)?;
                    (&member.value, member.start())
                }
                Step::Element(at) => {
                    let element = value.as_array()?.elements.get(*at)?;
                    (element, element.start())
                }
            };
        }
        Some((value, owner))
    }

    fn container(&self, steps: &[Step<'_>]) -> Option<Container> {
        let (value, owner) = self.find(steps)?;
        let range = |ranged: &dyn Ranged| ranged.start()..ranged.end();
        let items = match value {
            ast::Value::Object(object) => {
                (object.properties.iter().map(|member| range(member))).collect()
            }
            ast::Value::Array(array) => {
                (array.elements.iter().map(|element| range(element))).collect()
            }
            _ => return None,
        };
        Some(Container {
            inside: value.start() + 1,
            close: value.end() - 1,
            items,
            owner,
            root: steps.is_empty(),
        })
    }

    /// Returns whether steps lead to an object or a list in which nothing stands, not even a comment.
    pub(super) fn is_bare(&self, steps: &[Step<'_>]) -> bool {
        self.container(steps).is_some_and(|container| {
            container.items.is_empty() && self.text[container.inside..container.close].trim() == ""
        })
    }

    /// Returns whether the file has no other members than these, and no comment.
    pub(super) fn has_only(&self, members: &[String]) -> bool {
        let is_one = |member: &ObjectProp<'_>| {
            (members.iter()).any(|name| name.as_str() == member.name.as_str())
        };
        let only = self.root.as_ref().is_none_or(|root| {
            root.as_object()
                .is_some_and(|root| root.properties.iter().all(is_one))
        });
        only && self.marks.iter().all(|(_, mark)| *mark == Mark::Comma)
    }

    /// Where the comma after an item stands.
    fn comma_after(&self, item_end: usize, close: usize) -> Option<usize> {
        let first = self
            .marks
            .partition_point(|(range, _)| range.start < item_end);
        let next = self.marks[first..]
            .iter()
            .find(|(_, mark)| *mark == Mark::Comma);
        next.filter(|(range, _)| range.start < close)
            .map(|(range, _)| range.start)
    }

    /// Returns the comments from a place on.
    fn comments_from(&self, from: usize) -> impl Iterator<Item = &Range<usize>> {
        let first = self.marks.partition_point(|(range, _)| range.start < from);
        let comments = self.marks[first..]
            .iter()
            .filter(|(_, mark)| *mark == Mark::Comment);
        comments.map(|(range, _)| range)
    }
}

/// Returns the text of a new file with these members.
pub(super) fn document(members: &Map<String, Value>) -> String {
    format!("{:#}\n", Value::Object(members.clone()))
}

/// A value without its place. Numbers that no `f64` holds become their text.
pub(super) fn value(of: &ast::Value<'_>) -> Value {
    match of {
        ast::Value::StringLit(string) => Value::String(string.value.clone().into_owned()),
        ast::Value::NumberLit(number) => serde_json::from_str(number.value)
            .unwrap_or_else(|_| Value::String(number.value.to_owned())),
        ast::Value::BooleanLit(boolean) => Value::Bool(boolean.value),
        ast::Value::Object(object) => (object.properties.iter())
            .map(|member| (member.name.as_str().to_owned(), value(&member.value)))
            .collect(),
        ast::Value::Array(array) => array.elements.iter().map(value).collect(),
        ast::Value::NullKeyword(_) => Value::Null,
    }
}

fn kind(value: &ast::Value<'_>) -> &'static str {
    match value {
        ast::Value::StringLit(_) => "a string",
        ast::Value::NumberLit(_) => "a number",
        ast::Value::BooleanLit(_) => "a boolean",
        ast::Value::Object(_) => "an object",
        ast::Value::Array(_) => "a list",
        ast::Value::NullKeyword(_) => "null",
    }
}
