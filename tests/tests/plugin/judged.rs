//! Rules whose paths no tool has: an error at start-up, or in the log at the first list of tools.

use std::{
    io,
    sync::{Arc, Mutex},
};

use hooks_sdk::{
    Collected,
    core::{Registry, condition::Condition},
    plugin::{PluginHook, point},
};
use tracing::Level;

use crate::server::{Files, hooked, host};

/// What was logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn rule(tool: &str) -> PluginHook {
    PluginHook::deny("keep", point::tool_pre_invoke, "no")
        .items(&[tool])
        .when(Condition::parse(r#"args.pth = "/etc/**""#).unwrap())
}

#[test]
fn a_misspelt_path_of_a_named_tool_is_an_error_at_start_up() {
    let registry = Registry::builder()
        .add(rule("delete_file").into())
        .build()
        .unwrap();
    let wrapped = Collected::of(registry).unwrap().wrap(Files::default());
    let problems = wrapped.err().unwrap().to_string();
    assert!(
        problems.contains("args.pth") && problems.contains("delete_file"),
        "{problems}"
    );
}

#[tokio::test]
async fn one_with_a_wildcard_is_an_error_in_the_log_once() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(Level::ERROR)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let host = host(hooked(&Files::default(), [rule("delete_*")])).await;
    // A later page does not show every tool.
    let page = serde_json::json!({"cursor": "2"});
    host.request("tools/list", page).await.unwrap();
    assert!(lines.0.lock().unwrap().is_empty());
    for _ in 0..2 {
        host.list_tools().await.unwrap();
    }
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(logged.matches("args.pth").count(), 1, "{logged}");
}
