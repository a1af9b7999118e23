//! The documents of the vectors, spoiled: nothing that they define may go unnoticed.

use std::{fs, path::Path};

use hooks_tests::vectors::mcpl::check;
use serde_json::{Value, json};

/// Members whose value is the server's, the host's or MCP's own.
const FREE: &[&str] = &[
    "address",
    "arguments",
    "data",
    "metadata",
    "origin",
    "payload",
    "prompts",
    "resources",
    "tools",
    "value",
];

/// Members whose value is an object of names that somebody chose.
const NAMED: &[&str] = &["added", "featureSets", "scopes"];

fn documents() -> Vec<(String, Value)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/mcpl/examples-0.4.1.json");
    let entries: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let whole = |entry: &Value| {
        let document = &entry["json"];
        // Schemas and a host's own policy are no messages.
        ["oneOf", "properties", "routing"]
            .iter()
            .all(|name| document.get(name).is_none())
    };
    let entries = entries.into_iter().filter(whole);
    entries
        .map(|entry| {
            (
                entry["section"].as_str().unwrap().to_owned(),
                entry["json"].clone(),
            )
        })
        .collect()
}

/// Where the members stand that the document defines, as pointers.
fn defined(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let at = format!("{at}/{name}");
                found.push(at.clone());
                // The two that mean something else elsewhere.
                let state = name == "state" && value.get("checkpoint").is_some();
                let event = name == "payload" && value.get("content").is_some();
                let names = value.as_object().filter(|_| NAMED.contains(&name.as_str()));
                if let Some(names) = names {
                    let named = names.iter();
                    named.for_each(|(name, value)| defined(value, &format!("{at}/{name}"), found));
                } else if state || event || name != "state" && !FREE.contains(&name.as_str()) {
                    defined(value, &at, found);
                }
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                defined(element, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Each member that the document defines, in each of the documents.
fn members() -> Vec<(String, Value, String)> {
    let mut members = Vec::new();
    for (section, document) in documents() {
        let mut pointers = Vec::new();
        defined(&document, "", &mut pointers);
        let around = |pointer: &String| {
            // MCP's own, which may have any member.
            pointer.contains("/mcpl/") || document.pointer("/capabilities").is_none()
        };
        let tool = |pointer: &String| {
            // Blocks in the answer of a tool are MCP's too.
            document.pointer("/result/state").is_some() && pointer.contains("/content/")
        };
        pointers.retain(|pointer| around(pointer) && !tool(pointer));
        let of_it = pointers.into_iter();
        members.extend(of_it.map(|pointer| (section.clone(), document.clone(), pointer)));
    }
    assert!(members.len() > 400, "{}", members.len());
    members
}

/// The document with the member at the pointer taken out; its name, and what it was.
fn without(document: &Value, pointer: &str) -> (Value, String, Value) {
    let mut document = document.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = document
        .pointer_mut(parent)
        .unwrap()
        .as_object_mut()
        .unwrap();
    let value = parent.remove(name).unwrap();
    (document, name.to_owned(), value)
}

#[test]
fn a_misspelt_member_is_noticed() {
    for (section, document, pointer) in members() {
        // A preference that is misspelt is a hint of a host's own.
        if pointer.contains("/preferences/") {
            continue;
        }
        let (mut spoiled, name, value) = without(&document, &pointer);
        let (parent, _) = pointer.rsplit_once('/').unwrap();
        spoiled.pointer_mut(parent).unwrap()[format!("{name}X")] = value;
        assert!(
            check(&section, &spoiled).is_err(),
            "{pointer} in {document}"
        );
    }
}

#[test]
fn a_member_of_the_wrong_type_is_noticed() {
    for (section, document, pointer) in members() {
        let anything = ["/error/data", "/params/state", "/state/data", "/value"];
        if pointer == "/id" || anything.iter().any(|any| pointer.ends_with(any)) {
            continue;
        }
        let mut spoiled = document.clone();
        *spoiled.pointer_mut(&pointer).unwrap() = json!([[]]);
        let whole = pointer == "/result/content";
        assert!(
            whole || check(&section, &spoiled).is_err(),
            "{pointer} in {document}"
        );
    }
}

#[test]
fn what_stands_around_a_document_counts() {
    let error = |code: i64, message: &str| json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    let embedded = json!([{"type": "resource", "resource": {"uri": "a://b", "text": "x"}}]);
    for document in [
        // JSON-RPC's answer to what could not be read.
        error(-32003, "Unknown feature set"),
        error(-32024, "Channel open failed: no such room"),
        json!({"id": null, "result": {"closed": true}}),
        // A tool's, in MCP's own blocks.
        json!({"id": 1, "result": { "content": embedded }}),
        json!({"id": 1, "result": {}}),
    ] {
        assert_eq!(check("", &document), Ok(()), "{document}");
    }
    for (document, why) in [
        (json!({}), "no type has these members"),
        (error(-32003, "Unknown channel"), "Unknown feature set"),
        (error(-32099, "Unknown"), "-32099 is no code of MCPL"),
        (
            json!({ "content": embedded }),
            "a content block of type `resource` has no `uri`",
        ),
    ] {
        assert_eq!(check("", &document), Err(why.to_owned()), "{document}");
    }
}
