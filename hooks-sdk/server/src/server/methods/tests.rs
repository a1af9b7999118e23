//! Every method that rmcp knows has a row.

use std::collections::BTreeSet;

use rmcp::{
    model::{ClientNotification, ClientRequest, ServerNotification, ServerRequest},
    schemars::{JsonSchema, schema_for},
};
use serde_json::Value;

use super::{Direction, ROWS};

/// Returns the methods of rmcp's union `T`: it has a schema of each variant, which holds the method as a constant.
fn methods_of<T: JsonSchema>() -> BTreeSet<String> {
    let schema = schema_for!(T).to_value();
    let resolved = |value: &Value| -> Value {
        let mut value = value.clone();
        while let Some(path) = value.get("$ref").and_then(Value::as_str) {
            let path = path.trim_start_matches('#');
            value = schema.pointer(path).expect("a definition").clone();
        }
        value
    };
    let variants = schema["anyOf"].as_array().expect("a union");
    let method = |variant: &Value| {
        let method = resolved(&resolved(variant)["properties"]["method"]);
        method["const"].as_str().map(str::to_owned)
    };
    let methods: BTreeSet<String> = variants.iter().filter_map(method).collect();
    // The custom variant has no constant.
    assert_eq!(methods.len() + 1, variants.len(), "{schema:#}");
    methods
}

fn rows_of(direction: Direction) -> BTreeSet<String> {
    let rows = ROWS.iter().filter(|row| row.direction == direction);
    rows.map(|row| row.method.to_owned()).collect()
}

#[test]
fn every_method_that_rmcp_knows_has_a_row() {
    use Direction::{
        ClientNotification as Told, ClientRequest as Asks, ServerNotification as Tells,
    };
    assert_eq!(rows_of(Asks), methods_of::<ClientRequest>());
    assert_eq!(rows_of(Told), methods_of::<ClientNotification>());
    assert_eq!(
        rows_of(Direction::ServerRequest),
        methods_of::<ServerRequest>()
    );
    assert_eq!(rows_of(Tells), methods_of::<ServerNotification>());
}

#[test]
fn no_method_has_two_rows_in_one_direction() {
    for (at, row) in ROWS.iter().enumerate() {
        let same = |other: &&super::MethodRow| {
            other.method == row.method && other.direction == row.direction
        };
        assert!(
            !ROWS[..at].iter().any(|other| same(&other)),
            "{}",
            row.method
        );
    }
}
