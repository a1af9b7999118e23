//! The items of a TOML document: edited with what is around them, made from values, and read as values.

use serde_json::{Map, Value};
use toml_edit::{Array, InlineTable, Item, RawString, Table};

/// Sets members of a table. A null removes one. Returns whether a new table is the last one of the file, below `end`.
pub(super) fn set(item: &mut Item, members: &Map<String, Value>, end: &str) -> Option<bool> {
    let is_inline = item.is_inline_table();
    let table = item.as_table_like_mut()?;
    let mut is_last = false;
    for (name, value) in members {
        match table.get_mut(name) {
            _ if value.is_null() => _ = table.remove(name),
            Some(before) if json(before) == *value => {}
            Some(before) if before.is_table() && value.is_object() => {
                let Value::Object(mut members) = json(before) else {
                    return None;
                };
                members.values_mut().for_each(|it| *it = Value::Null);
                members.extend(value.as_object().cloned().into_iter().flatten());
                is_last |= set(before, &members, end)?;
            }
            Some(Item::Value(before)) => {
                let around = before.decor().clone();
                *before = inline(value);
                *before.decor_mut() = around;
            }
            Some(before) => *before = Item::Value(inline(value)),
            None if value.is_object() && !is_inline => {
                let mut new = self::table(value);
                put_last(&mut new, end);
                table.insert(name, Item::Table(new));
                is_last = true;
            }
            None => _ = table.insert(name, Item::Value(inline(value))),
        }
    }
    Some(is_last)
}

/// Adds the last value of a list, in a line of its own if the list has several lines. Comments behind the value before stay
/// behind it.
pub(super) fn push(list: &mut Array, mut value: toml_edit::Value) {
    let mut end = raw(Some(list.trailing()));
    let mut indent = "  ".to_owned();
    let last = list.len().checked_sub(1);
    if let Some(last) = last.and_then(|last| list.get_mut(last)) {
        let around = last.decor_mut();
        end.insert_str(0, &raw(around.suffix()));
        around.set_suffix("");
        if let Some((_, before)) = raw(around.prefix()).rsplit_once('\n') {
            before.clone_into(&mut indent);
        }
    }
    if let Some((comments, closing)) = end.rsplit_once('\n') {
        value
            .decor_mut()
            .set_prefix(format!("{comments}\n{indent}"));
        end = format!("\n{closing}");
    }
    list.set_trailing(end);
    list.push_formatted(value);
}

/// Removes a value of a list. Comments above it and behind it stay.
pub(super) fn take(list: &mut Array, at: usize) {
    let removed = list.remove(at);
    let around = removed.decor();
    let above = raw(around.prefix());
    let above = above.trim_end();
    let joined = |below: String| match above {
        "" => below,
        above if below.contains('\n') => above.to_owned() + &below,
        above => format!("{above}\n{below}"),
    };
    if let Some(next) = list.get_mut(at) {
        let around = next.decor_mut();
        let prefix = joined(raw(around.prefix()));
        around.set_prefix(prefix);
    } else {
        let end = raw(around.suffix()) + &raw(Some(list.trailing()));
        list.set_trailing(joined(end));
    }
}

/// Returns what is written around a value.
pub(super) fn raw(text: Option<&RawString>) -> String {
    let text = text.and_then(RawString::as_str);
    text.unwrap_or_default().to_owned()
}

/// Makes a table the last one of its file.
pub(super) fn put_last(table: &mut Table, above: &str) {
    table.decor_mut().set_prefix(above);
    table.set_position(Some(isize::MAX));
}

pub(super) fn table(value: &Value) -> Table {
    let members = members(value).map(|(name, it)| (name, Item::Value(it)));
    members.collect()
}

/// Returns the members of an object. TOML has no null.
fn members(value: &Value) -> impl Iterator<Item = (&String, toml_edit::Value)> {
    let members = value.as_object().into_iter().flatten();
    members
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name, inline(value)))
}

pub(super) fn inline(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(elements) => elements.iter().map(inline).collect(),
        Value::Object(_) => members(value).collect::<InlineTable>().into(),
        Value::String(text) => text.into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        Value::Bool(truth) => (*truth).into(),
        // A list keeps its length.
        Value::Null => "".into(),
    }
}

/// A date has no value in JSON, and is null.
pub(super) fn json(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        let members = table
            .iter()
            .map(|(name, item)| (name.to_owned(), json(item)));
        return Value::Object(members.collect::<Map<String, Value>>());
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables
            .iter()
            .map(|table| json(&Item::Table(table.clone())))
            .collect();
    }
    match item.as_value() {
        Some(toml_edit::Value::String(text)) => Value::from(text.value().as_str()),
        Some(toml_edit::Value::Integer(integer)) => Value::from(*integer.value()),
        Some(toml_edit::Value::Float(float)) => Value::from(*float.value()),
        Some(toml_edit::Value::Boolean(boolean)) => Value::from(*boolean.value()),
        Some(toml_edit::Value::Array(array)) => array
            .iter()
            .map(|value| json(&Item::Value(value.clone())))
            .collect(),
        _ => Value::Null,
    }
}
