//! `fields`.

use serde_json::{from_value, json};

use super::*;
use crate::ready::Fields;

fn fields() -> Fields {
    from_value(json!({
        "tools": "search",
        "roles": {"payroll": ["*@payroll"]},
        "mask": [
            {"fields": ["employees[*].salary", "account.iban"], "roles": ["payroll"]},
            {"fields": ["employees.notes"], "remove": true},
        ],
    }))
    .unwrap()
}

fn result() -> Value {
    let structured = json!({
        "employees": [{"name": "Kim", "salary": 51234, "notes": "late"}, {"name": "Lee"}],
        "account": {"iban": "DE89 3704"},
    });
    json!({
        "content": [
            {"type": "text", "text": structured.to_string()},
            {"type": "text", "text": "Kim earns 51234 and is late; account DE89 3704"},
        ],
        "structuredContent": structured,
    })
}

#[tokio::test]
async fn what_a_user_may_not_see_is_masked_wherever_it_stands() {
    let chain = chain([fields().into()]);
    for mut contexts in [contexts(), of_user("kim@sales")] {
        let (result, _) = answered(&chain, result(), &mut contexts).await;
        let masked = json!({
            "employees": [{"name": "Kim", "salary": null}, {"name": "Lee"}],
            "account": {"iban": "[MASKED]"},
        });
        assert_eq!(result["structuredContent"], masked);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), masked);
        assert_eq!(
            result["content"][1]["text"],
            "Kim earns [MASKED] and is [MASKED]; account [MASKED]"
        );
    }
}

#[tokio::test]
async fn a_role_sees_its_fields() {
    let chain = chain([fields().into()]);
    let mut given = contexts();
    given
        .global
        .metadata
        .insert("roles".to_owned(), json!(["payroll"]));
    for mut contexts in [of_user("ann@payroll"), given] {
        let (result, _) = answered(&chain, result(), &mut contexts).await;
        let employees = &result["structuredContent"]["employees"];
        assert_eq!(
            employees,
            &json!([{"name": "Kim", "salary": 51234}, {"name": "Lee"}])
        );
        assert_eq!(result["structuredContent"]["account"]["iban"], "DE89 3704");
    }
}

#[tokio::test]
async fn a_result_without_such_members_stays_as_it_is() {
    let chain = chain([fields().into()]);
    for result in [
        text("plain"),
        json!({"structuredContent": {"employees": 5}}),
        json!({}),
    ] {
        let (same, ran) = answered(&chain, result.clone(), &mut contexts()).await;
        assert_eq!(same, result);
        assert!(!ran.modified);
    }
}

#[test]
fn a_malformed_path_is_told() {
    for path in ["", "a..b", "a.", "a[0]", "a.*"] {
        let wrong = Fields::new().mask(path, &[]).unwrap_err().to_string();
        assert!(wrong.contains("is no path of a field"), "{path}: {wrong}");
    }
    assert!(from_value::<Fields>(json!({"mask": [{"fields": ["a..b"]}]})).is_err());
    assert!(Fields::new().mask("[*].a", &[]).is_ok());
}
