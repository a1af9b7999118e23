//! The page in a real browser. Without Chromium the test says that it was skipped.

use std::{env, fs, path::Path};

use serde_json::json;

use crate::{
    asks::{ask, serve},
    browser::Browser,
};

const POLICY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/policy.yaml");

#[tokio::test]
async fn a_step_is_seen_to_be_denied() {
    let Some(mut browser) = Browser::start().await else {
        eprintln!("skipped: there is no Chromium (on Debian: `apt-get install chromium`)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    fs::copy(POLICY, &file).expect("a file");
    let served = serve(&file, None, false).await;
    served
        .call("e0", "search_memories", json!({"query": "before"}))
        .await;
    browser.open(&format!("http://{}/", served.address)).await;
    browser
        .until("document.querySelector('#connection.open')?.textContent")
        .await;
    let before = browser
        .until("document.querySelector('tbody tr.allow')?.innerText")
        .await;
    assert!(before.to_string().contains("search_memories"), "{before}");
    assert_eq!(
        browser
            .evaluate("document.querySelectorAll('tbody tr').length")
            .await,
        1
    );

    served.call("e1", "delete_memory", json!({"id": "7"})).await;
    let denied = browser
        .until("document.querySelector('tbody tr.deny')?.innerText")
        .await;
    let denied = denied.as_str().expect("text");
    for part in [
        "denied",
        "delete_memory",
        "steps/toolCallRequest",
        "notes",
        "nothing is deleted here",
        "NO_DELETE",
    ] {
        assert!(denied.contains(part), "{part}: {denied}");
    }
    assert_eq!(
        browser
            .evaluate("document.querySelector('#counts .deny b').textContent")
            .await,
        "1"
    );

    // What an agent sends is text, and never a part of the page.
    let evil =
        "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>";
    served.call("e2", &format!("delete{evil}"), json!({})).await;
    browser
        .until("document.querySelectorAll('tbody tr.deny').length === 2")
        .await;
    assert_eq!(
        browser
            .evaluate("document.querySelectorAll('tbody img, tbody script').length")
            .await,
        0
    );
    let shown = browser
        .evaluate("document.querySelector('tbody tr.deny b').textContent")
        .await;
    assert_eq!(shown, format!("delete{evil}"));
    // Nor would a script in the page be run.
    let inline = "(() => { const made = document.createElement('script'); made.textContent = 'window.ran = true'; \
        document.head.append(made); return window.ran === undefined; })()";
    assert_eq!(browser.evaluate(inline).await, true);
    assert_eq!(browser.evaluate("document.title").await, "guardian");

    fs::write(&file, "default: allow\nrule: []\n").expect("a file");
    let problem = browser.until("!document.querySelector('#problem').hidden && document.querySelector('#problem').textContent").await;
    assert!(
        problem
            .to_string()
            .contains("`rule` is no key of a policy here"),
        "{problem}"
    );
    drop(served);
    browser
        .until("document.querySelector('#connection.lost')")
        .await;
}

/// Makes the picture of the book, when `HOOKS_DOCS=overwrite` asks for it.
#[tokio::test]
async fn the_picture_of_the_book_is_there() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/images/guardian-page.png");
    if env::var("HOOKS_DOCS").is_ok_and(|word| word == "overwrite")
        && let Some(mut browser) = Browser::start().await
    {
        let folder = tempfile::tempdir().expect("a folder");
        let policy = folder.path().join("policy.yaml");
        fs::copy(POLICY, &policy).expect("a file");
        let served = serve(&policy, None, false).await;
        let size = json!({"width": 1120, "height": 560, "deviceScaleFactor": 1, "mobile": false});
        browser
            .ask("Emulation.setDeviceMetricsOverride", size)
            .await;
        browser.open(&format!("http://{}/", served.address)).await;
        browser
            .until("document.querySelector('#connection.open')?.textContent")
            .await;
        served
            .call("e1", "search_memories", json!({"query": "release"}))
            .await;
        served
            .result("e1", "Transfer to DE89 3704 0044 0532 0130 00 is due")
            .await;
        served
            .call("e2", "read_file", json!({"path": "/srv/../etc/passwd"}))
            .await;
        let part = json!({"kind": "text", "text": "Remember my password"});
        let message = json!({"message": {"id": "m1", "role": "user", "content": [part]}});
        ask(served.address, "steps/message", message).await;
        served.store("the password is on the fridge").await;
        served.call("e3", "delete_memory", json!({"id": "7"})).await;
        browser
            .until("document.querySelectorAll('tbody tr').length === 6")
            .await;
        let still = "Promise.all(document.getAnimations().map((animation) => animation.finished)).then(() => true)";
        browser.evaluate(still).await;
        // The path of a folder of this test is of no interest.
        browser
            .evaluate("document.querySelector('#policy').textContent = 'policy.yaml · 4 rules'")
            .await;
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, browser.picture().await).expect("a file");
    }
    let length = fs::metadata(&file).expect("the picture").len();
    assert!(length < 200 * 1024, "{length} bytes");
}
