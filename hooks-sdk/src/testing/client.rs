//! The client information of every host, and the params of a test's requests.

use serde_json::{Map, Value, json};

pub(super) fn client_info() -> Value {
    json!({"name": "hooks-sdk testing host", "version": env!("CARGO_PKG_VERSION")})
}

pub(super) fn object(params: Value) -> Map<String, Value> {
    match params {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
