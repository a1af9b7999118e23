//! Goes through an answer and replaces what is found, with regard to where each text stands.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::spot::{Spot, is_type};
use hooks_core::HookError;
use hooks_finder::{
    self as finder, FindingKind, REDACTED,
    internal::{named, names_secret},
};

/// How deep values may lie in each other; an answer that is deeper is a failure.
const DEPTH: usize = 256;
/// The words of JSON Schema for a type: an object with one of them describes a value, and has none.
const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "object", "array", "null",
];

/// How many findings of each kind there are.
pub(super) type FindingCounts = BTreeMap<FindingKind, u64>;

/// One way through a value.
pub(super) struct RedactWalk<'k> {
    keep: &'k [FindingKind],
    /// What was replaced.
    pub(super) counts: FindingCounts,
    /// What stays in MCPL's state.
    pub(super) in_state: FindingCounts,
    /// Whether a name is one of a secret: rows repeat the names of their members.
    names: HashMap<String, bool>,
}

/// The name of a secret, under which a value stands.
#[derive(Clone, Copy)]
struct Under<'n> {
    name: &'n str,
    /// Whether it is the value's own name, and not that of something around it.
    own: bool,
}

impl<'k> RedactWalk<'k> {
    pub(super) fn new(keep: &'k [FindingKind]) -> RedactWalk<'k> {
        RedactWalk {
            keep,
            counts: FindingCounts::new(),
            in_state: FindingCounts::new(),
            names: HashMap::new(),
        }
    }

    /// The value with everything replaced; `None` if nothing was found.
    pub(super) fn value(&mut self, value: &Value, spot: Spot) -> Result<Option<Value>, HookError> {
        self.within(value, None, spot, DEPTH)
    }

    fn within(
        &mut self,
        value: &Value,
        under: Option<Under<'_>>,
        spot: Spot,
        depth: usize,
    ) -> Result<Option<Value>, HookError> {
        if depth == 0 {
            return Err(HookError::new(format!(
                "the values lie more than {DEPTH} deep in each other"
            )));
        }
        match value {
            Value::String(text) => Ok(self.text(text, under).map(Value::String)),
            Value::Number(number) => {
                let own = under.filter(|under| under.own);
                let found = own
                    .and_then(|under| named(under.name, &number.to_string(), true))
                    .filter(|one| !self.keep.contains(&one.kind));
                Ok(found.map(|one| {
                    *self.counts.entry(one.kind).or_default() += 1;
                    Value::String(REDACTED.to_owned())
                }))
            }
            Value::Array(items) => {
                let mut changed: Option<Vec<Value>> = None;
                for (at, item) in items.iter().enumerate() {
                    if let Some(item) = self.within(item, under, spot, depth - 1)? {
                        changed.get_or_insert_with(|| items.clone())[at] = item;
                    }
                }
                Ok(changed.map(Value::Array))
            }
            Value::Object(members) => {
                let changed = self.members(members, under, spot, depth)?;
                Ok(changed.map(Value::Object))
            }
            Value::Null | Value::Bool(_) => Ok(None),
        }
    }

    fn members(
        &mut self,
        members: &Map<String, Value>,
        under: Option<Under<'_>>,
        spot: Spot,
        depth: usize,
    ) -> Result<Option<Map<String, Value>>, HookError> {
        let around = under.filter(|_| !is_type(members, &TYPES) && !members.contains_key("$ref"));
        let mut changes = Vec::new();
        for (name, value) in members {
            if spot.is_media(members, name, value) {
                continue;
            }
            let inner = spot.of(members, name);
            match inner {
                Spot::Kept => {
                    self.kept(value)?;
                    continue;
                }
                Spot::Peers => continue,
                _ => {}
            }
            let under = match self.is_secret(name) {
                true => Some(Under { name, own: true }),
                false => around.map(|under| Under {
                    own: false,
                    ..under
                }),
            };
            let renamed = self.text(name, None);
            let value = self.within(value, under, inner, depth - 1)?;
            if renamed.is_some() || value.is_some() {
                changes.push((name, renamed, value));
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        let mut changed = members.clone();
        for (name, renamed, value) in changes {
            let Some(renamed) = renamed else {
                changed.extend(value.map(|value| (name.clone(), value)));
                continue;
            };
            let old = changed.remove(name).unwrap_or_default();
            // Two secrets may not become one member.
            let mut free = renamed.clone();
            let mut more = 1;
            while changed.contains_key(&free) {
                more += 1;
                free = format!("{renamed} {more}");
            }
            changed.insert(free, value.unwrap_or(old));
        }
        Ok(Some(changed))
    }

    /// Looks at a value that the other side brings back, such as the state of MCPL. It is not rewritten: the next call starts
    /// from it.
    fn kept(&mut self, value: &Value) -> Result<(), HookError> {
        let mut walk = RedactWalk::new(self.keep);
        walk.value(value, Spot::Other)?;
        if let Some((kind, _)) = walk.counts.iter().find(|(kind, _)| kind.is_secret()) {
            return Err(HookError::new(format!(
                "a state or an id has a secret in it ({kind}), and the other side brings it back, so it is not rewritten"
            )));
        }
        for (kind, count) in walk.counts {
            *self.in_state.entry(kind).or_default() += count;
        }
        Ok(())
    }

    fn is_secret(&mut self, name: &str) -> bool {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let is_secret = names_secret(name);
        self.names.insert(name.to_owned(), is_secret);
        is_secret
    }

    fn text(&mut self, text: &str, under: Option<Under<'_>>) -> Option<String> {
        let keep = self.keep;
        let wanted = |kind| !keep.contains(&kind);
        let named = under
            .and_then(|under| named(under.name, text, false))
            .filter(|one| wanted(one.kind));
        let findings = match named {
            Some(one) => vec![one],
            None => finder::find_where(text, wanted),
        };
        if findings.is_empty() {
            return None;
        }
        for finding in &findings {
            *self.counts.entry(finding.kind).or_default() += 1;
        }
        Some(finder::redact(text, &findings))
    }
}
