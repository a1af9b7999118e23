//! Hooks around `completion/complete`: the value that is completed, and the values.

use hooks_sdk::{
    Policy,
    core::{Verdict, condition::Condition},
    log::{DecisionLog, Posture},
    plugin::{
        CompletionFetch, CompletionOf, CompletionResult, PluginHook, Question, ResourceFetch,
        point, ready::Redact,
    },
    testing::{RequestError, TestHost},
};
use serde_json::{Value, json};

use crate::server::{Files, hooked, hooked_with, host};

fn of_prompt(value: &str) -> Value {
    json!({
        "ref": {"type": "ref/prompt", "name": "greet"},
        "argument": {"name": "path", "value": value},
        "context": {"arguments": {"lang": "en"}},
    })
}

async fn values(host: &TestHost, params: Value) -> Result<Value, RequestError> {
    let answer = host.request("completion/complete", params).await?;
    Ok(answer["completion"].clone())
}

fn code(refused: Result<Value, RequestError>) -> String {
    match refused {
        Err(RequestError::Refused { data, .. }) => data["code"].as_str().unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn hooks_see_the_whole_request_and_change_the_value_and_the_values() {
    let before = PluginHook::answering_any::<_, Verdict<CompletionFetch>>(
        "before",
        point::completion_pre_fetch,
        |fetch, _| {
            Box::pin(async move {
                assert_eq!((fetch.kind, &*fetch.name), (CompletionOf::Prompt, "greet"));
                assert_eq!(
                    (&*fetch.argument, &fetch.args["lang"]),
                    ("path", &json!("en"))
                );
                Verdict::Modify(fetch.with(format!("{}!", fetch.value)))
            })
        },
    );
    let after = PluginHook::answering_any::<_, Verdict<CompletionResult>>(
        "after",
        point::completion_post_fetch,
        |answer, _| {
            Box::pin(async move {
                assert_eq!((&*answer.argument, answer.total()), ("path", Some(3)));
                assert_eq!(answer.has_more(), Some(false));
                Verdict::Modify(answer.retain(|value| !value.starts_with("secret")))
            })
        },
    );
    let host = host(hooked(&Files::default(), [before, after])).await;
    let completion = values(&host, of_prompt("a")).await.unwrap();
    assert_eq!(
        completion,
        json!({"values": ["prompt greet path=a! en", "public"], "hasMore": false})
    );
}

#[tokio::test]
async fn rules_read_the_argument_its_value_and_the_values() {
    let when = |at: PluginHook, text: &str| at.when(Condition::parse(text).unwrap()).code("NO");
    let deny = |at| PluginHook::deny("rule", at, "not this");
    let before = || deny(point::completion_pre_fetch);
    for (hook, refused) in [
        (
            when(before(), r#"argument = "path", value = "/etc*""#),
            true,
        ),
        (when(before(), r#"args.lang = "en""#), true),
        (when(before(), r#"value = "/srv*""#), false),
        (before().items(&["other"]), false),
    ] {
        let host = host(hooked(&Files::default(), [hook])).await;
        let answer = values(&host, of_prompt("/etc/x")).await;
        assert_eq!(answer.is_err(), refused, "{answer:?}");
    }
    let after = PluginHook::deny("rule", point::completion_post_fetch, "not these");
    let after = when(after, r#"result.values[*] = "secret*""#);
    let refused = host(hooked(&Files::default(), [after])).await;
    assert_eq!(code(values(&refused, of_prompt("a")).await), "NO");
}

#[tokio::test]
async fn the_item_and_the_argument_stay_and_no_user_is_asked() {
    let retarget = PluginHook::answering_any::<_, Verdict<CompletionFetch>>(
        "retarget",
        point::completion_pre_fetch,
        |fetch, _| {
            Box::pin(async move {
                let other = CompletionFetch::new(CompletionOf::Resource, "x:y", "z", &*fetch.value);
                Verdict::Modify(other)
            })
        },
    );
    let host_of = async |hook| host(hooked(&Files::default(), [hook])).await;
    let completion = values(&host_of(retarget).await, of_prompt("a"))
        .await
        .unwrap();
    assert_eq!(completion["values"][0], "prompt greet path=a ");
    let asks = PluginHook::answering_any::<_, Verdict<CompletionFetch, Question>>(
        "asks",
        point::completion_pre_fetch,
        |_, _| Box::pin(async { Verdict::Ask(Question::confirm("may it?")) }),
    );
    let refused = values(&host_of(asks).await, of_prompt("a")).await;
    assert_eq!(code(refused), "elicitation_unsupported");
    let too_many = PluginHook::answering_any::<_, Verdict<CompletionResult>>(
        "too_many",
        point::completion_post_fetch,
        |answer, _| {
            Box::pin(async move {
                let mut more = answer.clone();
                more.result = json!({"values": vec!["v"; 101]});
                Verdict::Modify(more)
            })
        },
    );
    let withheld = values(&host_of(too_many).await, of_prompt("a")).await;
    assert_eq!(code(withheld), "plugin_error");
}

#[tokio::test]
async fn a_resources_completion_keeps_the_rules_for_the_resource_too() {
    let params = json!({
        "ref": {"type": "ref/resource", "uri": "file:///{name}"},
        "argument": {"name": "name", "value": "n"},
    });
    let read = PluginHook::deny("read", point::resource_pre_fetch, "no").code("READ");
    let refused = host(hooked(&Files::default(), [read])).await;
    assert_eq!(code(values(&refused, params.clone()).await), "READ");
    let watch = PluginHook::answering_any::<_, Verdict<ResourceFetch>>(
        "watch",
        point::resource_pre_fetch,
        |_, _| Box::pin(async { Verdict::Allow }),
    );
    let own = PluginHook::deny("own", point::completion_pre_fetch, "no").code("OWN");
    let own = own.items(&["file:///*"]);
    let refused = host(hooked(&Files::default(), [watch, own])).await;
    assert_eq!(code(values(&refused, params).await), "OWN");
}

#[tokio::test]
async fn a_completion_is_a_line_of_the_decision_log_and_redact_cleans_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let policy = Policy::new().with(Redact::new().arguments());
    let server = hooked_with(&Files::default(), [], [], policy, None);
    let log = DecisionLog::to(&file, Posture::Deny);
    let host = host(server.log(log.clone())).await;
    let mail = "kim@example.org";
    let completion = values(&host, of_prompt(mail)).await.unwrap();
    let first = completion["values"][0].as_str().unwrap();
    assert_eq!(first, "prompt greet path=[REDACTED] en");
    let mut params = of_prompt("x");
    params["argument"]["name"] = "password".into();
    let completion = values(&host, params).await.unwrap();
    assert_eq!(completion["values"][1], "[REDACTED]");
    log.close(std::time::Duration::from_secs(5));
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["kind"] == "decision")
        .collect();
    let said: Vec<_> = lines
        .iter()
        .map(|line| (&line["method"], &line["item"]))
        .collect();
    assert_eq!(said, [(&json!("completion/complete"), &json!("greet")); 2]);
    assert!(!text.contains(mail), "{text}");
}

#[test]
fn the_payloads_are_json_as_the_document_writes_payloads() {
    let fetch = CompletionFetch::new(CompletionOf::Resource, "x:{y}", "y", "v");
    let written =
        json!({"kind": "resource", "name": "x:{y}", "argument": "y", "value": "v", "args": {}});
    assert_eq!(serde_json::to_value(&fetch).unwrap(), written);
}
