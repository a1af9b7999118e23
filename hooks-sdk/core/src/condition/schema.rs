//! Whether a JSON Schema has what a path leads to.

use std::collections::BTreeSet;

use hooks_text::nearest;
use serde_json::{Map, Value};

use super::{Path, Step};

/// How many schemas are looked at for one path; schemas that refer to themselves are not followed for ever.
const MAX_VISITS: usize = 1000;

/// What a schema says about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Nothing with this path is expected.
    Lacks,
    /// The schema allows members that it does not name, or is not understood.
    Open,
    /// The schema names it.
    Has,
}

/// Follows `steps` through `properties`, `items`, local references, and each alternative.
pub fn reach(schema: &Map<String, Value>, steps: &[Step]) -> Reach {
    Reader::new(schema).object(schema, steps)
}

/// Returns the types that the schema allows at the end of these steps, `any` for a part that names none.
pub fn types(schema: &Map<String, Value>, steps: &[Step]) -> BTreeSet<String> {
    let mut reader = Reader::new(schema);
    reader.object(schema, steps);
    reader.types
}

/// Returns the schema that a path leads into, of a tool's arguments or of its structured result, and the steps there.
pub fn within<'t, 'p>(
    path: &'p Path,
    input: Option<&'t Map<String, Value>>,
    output: Option<&'t Map<String, Value>>,
) -> Option<(&'t Map<String, Value>, &'p [Step])> {
    match (&*path.root, path.steps.as_slice()) {
        ("args", steps) => Some((input?, steps)),
        ("result", [Step::Member(first), steps @ ..]) if first == "structuredContent" => {
            Some((output?, steps))
        }
        _ => None,
    }
}

/// Returns the member of one of the schemas that was probably meant, where a path goes wrong at its first step.
pub fn meant<'s>(
    schemas: impl IntoIterator<Item = &'s Map<String, Value>>,
    steps: &[Step],
) -> Option<&'s str> {
    let Some(Step::Member(name)) = steps.first() else {
        return None;
    };
    let schemas = schemas.into_iter();
    let members = schemas.filter_map(|schema| schema.get("properties")?.as_object());
    let names = members.flat_map(Map::keys).map(String::as_str);
    nearest(name, names).filter(|near| near != name)
}

struct Reader<'r> {
    root: &'r Map<String, Value>,
    visits: usize,
    types: BTreeSet<String>,
}

impl<'r> Reader<'r> {
    fn new(root: &'r Map<String, Value>) -> Reader<'r> {
        Reader {
            root,
            visits: MAX_VISITS,
            types: BTreeSet::new(),
        }
    }

    fn any(&mut self, schema: &Value, steps: &[Step]) -> Reach {
        match schema {
            Value::Object(schema) => self.object(schema, steps),
            Value::Bool(false) => Reach::Lacks,
            _ if steps.is_empty() => {
                self.types.insert("any".to_owned());
                Reach::Has
            }
            _ => Reach::Open,
        }
    }

    /// Takes in the types of a schema at the end of the path.
    fn end(&mut self, schema: &Map<String, Value>) {
        let of = |value: &Value| match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let texts = |value: &Value| value.as_str().map(str::to_owned);
        let values = schema.get("enum").and_then(Value::as_array);
        match (schema.get("type"), schema.get("const"), values) {
            (Some(Value::Array(all)), ..) => self.types.extend(all.iter().filter_map(texts)),
            (Some(one), ..) => self.types.extend(texts(one)),
            (_, Some(value), _) => _ = self.types.insert(of(value).to_owned()),
            (.., Some(values)) => self.types.extend(values.iter().map(of).map(str::to_owned)),
            _ if self.composed(schema, &[]).is_some() => {}
            _ => _ = self.types.insert("any".to_owned()),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, steps: &[Step]) -> Reach {
        if self.visits == 0 {
            return Reach::Open;
        }
        self.visits -= 1;
        let Some((step, rest)) = steps.split_first() else {
            self.end(schema);
            return Reach::Has;
        };
        let mut best = self.composed(schema, steps);
        let own = match step {
            Step::Member(name) => self.member(schema, name, rest),
            Step::Item(at) => self.item(schema, Some(*at), rest),
            Step::Every => self.item(schema, None, rest),
        };
        // A schema that only refers to others has no members of its own.
        match (own, best) {
            (Some(own), Some(others)) => best = Some(own.max(others)),
            (Some(own), None) => best = Some(own),
            (None, _) => {}
        }
        best.unwrap_or(Reach::Open)
    }

    /// Looks into the schemas that this one is made of; `None` if there is none.
    fn composed(&mut self, schema: &Map<String, Value>, steps: &[Step]) -> Option<Reach> {
        let mut best = None;
        let mut add = |reach| best = best.max(Some(reach));
        if schema.contains_key("$dynamicRef") {
            self.types.insert("any".to_owned());
            add(Reach::Open);
        }
        if let Some(reference) = schema.get("$ref") {
            let reference = reference.as_str().unwrap_or_default();
            let root = self.root;
            add(match self.resolve(reference) {
                _ if reference == "#" => self.object(root, steps),
                Some(target) => self.any(target, steps),
                None => {
                    self.types.insert("any".to_owned());
                    Reach::Open
                }
            });
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            for part in schema
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                add(self.any(part, steps));
            }
        }
        for key in ["then", "else"] {
            if let Some(part) = schema.get(key) {
                add(self.any(part, steps));
            }
        }
        best
    }

    /// Returns the schema that `#/$defs/Name` names; `None` for one in another document.
    fn resolve(&self, reference: &str) -> Option<&'r Value> {
        let unescaped = |part: &str| part.replace("~1", "/").replace("~0", "~");
        let mut parts = reference.strip_prefix("#/")?.split('/');
        let mut value = self.root.get(&unescaped(parts.next()?))?;
        for part in parts {
            value = match value {
                Value::Object(members) => members.get(&unescaped(part))?,
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    fn member(&mut self, schema: &Map<String, Value>, name: &str, rest: &[Step]) -> Option<Reach> {
        let properties = schema.get("properties").and_then(Value::as_object);
        if let Some(property) = properties.and_then(|properties| properties.get(name)) {
            return Some(self.any(property, rest));
        }
        let more = schema.get("additionalProperties");
        let is_open = schema.contains_key("patternProperties")
            || more.is_some_and(|more| *more != Value::Bool(false));
        if is_open {
            return Some(Reach::Open);
        }
        if properties.is_some() || more.is_some() {
            return Some(Reach::Lacks);
        }
        untold(schema, "object")
    }

    fn item(
        &mut self,
        schema: &Map<String, Value>,
        at: Option<usize>,
        rest: &[Step],
    ) -> Option<Reach> {
        let mut best = None;
        let first = schema.get("prefixItems").and_then(Value::as_array);
        let first = first.map_or(&[][..], Vec::as_slice);
        for (own, item) in first.iter().enumerate() {
            if at.is_none_or(|at| at == own) {
                best = best.max(Some(self.any(item, rest)));
            }
        }
        if at.is_some() && best.is_some() {
            return best;
        }
        match schema.get("items") {
            Some(items) => best.max(Some(self.any(items, rest))),
            None if first.is_empty() => untold(schema, "array"),
            None => best.max(Some(Reach::Open)),
        }
    }
}

/// A schema that names no members or no items: open, unless its type has none, or it only refers to others.
fn untold(schema: &Map<String, Value>, needed: &str) -> Option<Reach> {
    const OTHERS: [&str; 7] = [
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "then",
        "else",
    ];
    match schema.get("type") {
        Some(Value::String(own)) if own != needed => Some(Reach::Lacks),
        Some(Value::Array(types)) if !types.iter().any(|own| own == needed) => Some(Reach::Lacks),
        _ if OTHERS.iter().any(|key| schema.contains_key(*key)) => None,
        _ => Some(Reach::Open),
    }
}

#[cfg(test)]
mod tests {
    use hooks_text::condition::{Tree, parse};
    use serde_json::json;

    use super::*;

    fn reached(schema: &Value, path: &str) -> Reach {
        let Ok(Tree::Test(path, _)) = parse(&format!("args{path}")) else {
            panic!("{path}")
        };
        reach(schema.as_object().unwrap(), &path.steps)
    }

    #[test]
    fn a_typed_parameter_has_its_members_and_no_others() {
        let schema = json!({
            "$defs": {
                "User": { "type": "object", "properties": { "id": { "type": "string" }, "boss": { "$ref": "#/$defs/User" } } },
            },
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "user": { "anyOf": [{ "$ref": "#/$defs/User" }, { "type": "null" }] },
                "items": { "type": ["array", "null"], "items": { "$ref": "#/$defs/User" } },
                "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "$ref": "#/$defs/User" }], "items": false },
                "free": { "type": "object" },
                "any": true,
                "map": { "type": "object", "additionalProperties": { "type": "string" } },
                "closed": { "type": "object", "additionalProperties": false },
                "named": { "type": "object", "patternProperties": { "^x-": {} }, "additionalProperties": false },
            },
        });
        for (path, expected) in [
            ("", Reach::Has),
            (".path", Reach::Has),
            (".pth", Reach::Lacks),
            (".path.more", Reach::Lacks),
            (".path[0]", Reach::Lacks),
            (".user.id", Reach::Has),
            (".user.boss.boss.id", Reach::Has),
            (".user.name", Reach::Lacks),
            (".items[*].id", Reach::Has),
            (".items[3].id", Reach::Has),
            (".items[*].name", Reach::Lacks),
            (".items.id", Reach::Lacks),
            (".pair[1].id", Reach::Has),
            (".pair[0].id", Reach::Lacks),
            (".pair[2]", Reach::Lacks),
            (".pair[*].id", Reach::Has),
            (".free.anything", Reach::Open),
            (".any.thing[0]", Reach::Open),
            (".any", Reach::Has),
            (".map.key", Reach::Open),
            (".closed.key", Reach::Lacks),
            (".named.key", Reach::Open),
        ] {
            assert_eq!(reached(&schema, path), expected, "{path}");
        }
    }

    #[test]
    fn alternatives_are_joined_and_what_is_not_known_is_open() {
        for (schema, expected) in [
            (json!({}), Reach::Open),
            (json!({ "type": "object" }), Reach::Open),
            (json!({ "type": "object", "properties": {} }), Reach::Lacks),
            (
                json!({ "oneOf": [{ "properties": { "a": {} } }, { "properties": { "b": {} } }] }),
                Reach::Has,
            ),
            (
                json!({ "oneOf": [{ "properties": { "b": {} } }, { "type": "object" }] }),
                Reach::Open,
            ),
            (
                json!({ "allOf": [{ "properties": { "b": {} } }], "properties": { "a": {} } }),
                Reach::Has,
            ),
            (
                json!({ "allOf": [{ "properties": { "b": {} } }] }),
                Reach::Lacks,
            ),
            (
                json!({ "properties": {}, "if": {}, "then": { "properties": { "a": {} } } }),
                Reach::Has,
            ),
            (json!({ "properties": { "a": false } }), Reach::Lacks),
            (json!({ "$ref": "https://example.org/a.json" }), Reach::Open),
            (json!({ "$ref": "#/$defs/None" }), Reach::Open),
            (json!({ "$ref": "#name" }), Reach::Open),
            (
                json!({ "$ref": "#/$defs/a~1b", "$defs": { "a/b": { "properties": { "a": {} } } } }),
                Reach::Has,
            ),
            (json!({ "$ref": "#" }), Reach::Open),
            (
                json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
                Reach::Open,
            ),
            (
                json!({ "$dynamicRef": "#x", "properties": {} }),
                Reach::Open,
            ),
        ] {
            assert_eq!(reached(&schema, ".a"), expected, "{schema}");
        }
    }
}
