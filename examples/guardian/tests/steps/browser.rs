//! A real Chromium without a window, spoken to over two pipes: requests and answers are JSON, with a zero byte behind each.

use std::{env, path::PathBuf, process::Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use crate::asks::PATIENCE;

/// The browser, with one page.
pub(crate) struct Browser {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    page: Option<String>,
    last: u64,
    _child: Child,
    _profile: TempDir,
}

/// Finds Chromium among the programs.
fn program() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&folders).collect();
    let mut found = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    found.find(|program| program.is_file())
}

impl Browser {
    /// Starts the browser, if there is one.
    pub(crate) async fn start() -> Option<Browser> {
        let profile = tempfile::tempdir().expect("a folder");
        // Chromium reads from 3 and writes to 4.
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#])
            .arg(program()?)
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-first-run",
                "--hide-scrollbars",
            ])
            // In a container the tests run as root, without a GPU and with little shared memory.
            .args(["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("a browser");
        let mut browser = Browser {
            to: child.stdin.take().expect("a pipe"),
            from: BufReader::new(child.stdout.take().expect("a pipe")),
            page: None,
            last: 0,
            _child: child,
            _profile: profile,
        };
        let target = browser
            .ask("Target.createTarget", json!({"url": "about:blank"}))
            .await;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.ask("Target.attachToTarget", attach).await;
        browser.page = attached["sessionId"].as_str().map(str::to_owned);
        browser.ask("Page.enable", json!({})).await;
        Some(browser)
    }

    /// Sends a request, and returns its result.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut request = json!({"id": self.last, "method": method, "params": params});
        if let Some(page) = &self.page {
            request["sessionId"] = json!(page);
        }
        let request = format!("{request}\0");
        self.to
            .write_all(request.as_bytes())
            .await
            .expect("a browser");
        let id = self.last;
        let mut answer = self.next(|message| message["id"] == id).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Reads until a message is the right one.
    async fn next(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut message = Vec::new();
            let read = self.from.read_until(0, &mut message);
            timeout(PATIENCE, read)
                .await
                .expect("in time")
                .expect("a browser");
            assert_eq!(message.pop(), Some(0), "the browser has ended");
            let message = serde_json::from_slice(&message).expect("JSON");
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Opens a page, and waits until it is loaded.
    pub(crate) async fn open(&mut self, url: &str) {
        let opened = self.ask("Page.navigate", json!({"url": url})).await;
        assert!(opened["errorText"].is_null(), "{opened}");
        self.next(|message| message["method"] == "Page.loadEventFired")
            .await;
    }

    /// Evaluates JavaScript in the page. A promise is awaited.
    pub(crate) async fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.ask("Runtime.evaluate", params).await;
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].take()
    }

    /// Waits until an expression of the page is neither false nor absent, and returns its value.
    pub(crate) async fn until(&mut self, expression: &str) -> Value {
        let waiting = format!(
            "new Promise((resolve) => {{
                const look = () => {{
                    const found = {expression};
                    if (found) {{ observer.disconnect(); resolve(found); }}
                }};
                const observer = new MutationObserver(look);
                const all = {{ subtree: true, childList: true, attributes: true, characterData: true }};
                observer.observe(document, all);
                look();
            }})"
        );
        self.evaluate(&waiting).await
    }

    /// Takes a picture of the page: a PNG.
    pub(crate) async fn picture(&mut self) -> Vec<u8> {
        use base64::{Engine, prelude::BASE64_STANDARD};
        let taken = self
            .ask("Page.captureScreenshot", json!({"format": "png"}))
            .await;
        let data = taken["data"].as_str().expect("a picture");
        BASE64_STANDARD.decode(data).expect("base64")
    }
}
