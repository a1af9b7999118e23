//! The step after a resource was read.

use hooks_sdk::aos::{Posture, Unseen};
use serde_json::{Value, json};

use super::{
    KNOWLEDGE, Rig, changes, denies,
    desk::{DIGEST, HELLO},
    redact, soon,
};

async fn read(rig: &Rig, uri: &str) -> Value {
    let read = rig.host.request("resources/read", json!({"uri": uri}));
    soon(read).await.expect("a result")["contents"].take()
}

#[tokio::test]
async fn a_read_resource_is_knowledge() {
    let rig = Rig::new(|question| question.allow()).await;
    let contents = read(&rig, "note://text").await;
    assert_eq!(contents[0]["text"], "sk-secret");
    assert_eq!(
        rig.asked(KNOWLEDGE)[0]["knowledgeStep"],
        json!({"results": [{"id": "note://text", "content": "sk-secret", "mimeType": "text/markdown"}]})
    );
    let unknown = rig
        .host
        .request("resources/read", json!({"uri": "note://none"}));
    assert!(soon(unknown).await.is_err());
    // Its error is asked about as well, because it may hold what was read.
    assert_eq!(rig.methods(), [KNOWLEDGE, KNOWLEDGE]);
}

#[tokio::test]
async fn a_blob_is_withheld_unless_it_may_pass() {
    let rig = Rig::new(|question| question.allow()).await;
    let contents = read(&rig, "note://both").await;
    assert_eq!(contents[0]["text"], "sk-secret");
    assert_eq!(contents[1]["uri"], "note://blob");
    assert!(
        contents[1]["text"]
            .as_str()
            .unwrap()
            .starts_with("[withheld")
    );
    assert!(!contents.to_string().contains(HELLO));
    let asked = &rig.asked(KNOWLEDGE)[0]["knowledgeStep"]["results"][1];
    let shown = format!("[blob, image/png, 5 bytes, sha256 {DIGEST}]");
    assert_eq!(asked["content"], shown);

    let rig = Rig::with(
        |question| question.allow(),
        |client| {
            client
                .pass_unseen([Unseen::Resource])
                .posture(Posture::Deny)
        },
    )
    .await;
    assert_eq!(read(&rig, "note://blob").await[0]["blob"], HELLO);
}

#[tokio::test]
async fn a_change_is_written_back_and_what_it_leaves_out_goes() {
    let rig = Rig::new(changes(KNOWLEDGE, redact)).await;
    assert_eq!(
        read(&rig, "note://text").await,
        json!([{"uri": "note://text", "mimeType": "text/markdown", "text": "***"}])
    );
    let fewer = changes(KNOWLEDGE, |params| {
        params["knowledgeStep"]["results"]
            .as_array_mut()
            .unwrap()
            .remove(0);
    });
    let rig = Rig::with(fewer, |client| {
        client
            .pass_unseen([Unseen::Resource])
            .posture(Posture::Deny)
    })
    .await;
    let contents = read(&rig, "note://both").await;
    assert_eq!(contents.as_array().unwrap().len(), 1);
    assert_eq!(contents[0]["blob"], HELLO);
    let foreign = changes(KNOWLEDGE, |params| {
        params["knowledgeStep"]["results"][0]["id"] = json!("note://other");
    });
    let rig = Rig::new(foreign).await;
    let read = rig
        .host
        .request("resources/read", json!({"uri": "note://text"}));
    let error = soon(read).await.unwrap_err().to_string();
    assert!(error.contains("another URI"), "{error}");
}

#[tokio::test]
async fn a_denied_resource_is_an_error() {
    let rig = Rig::new(denies(KNOWLEDGE)).await;
    let read = rig
        .host
        .request("resources/read", json!({"uri": "note://text"}));
    let error = soon(read).await.unwrap_err().to_string();
    assert!(
        error.contains("Blocked: no text messages at night"),
        "{error}"
    );
    assert!(!error.contains("sk-secret"), "{error}");
}
