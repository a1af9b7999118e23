//! The files of clients: where they are, how the client reads them, and what is done about one that cannot be written.

use std::fs;

use serde_json::{Value, json};

use crate::user::{User, run_with as run};

#[test]
fn a_clients_folder_is_where_its_variable_says() {
    for (client, variable, hooks, servers, usual) in [
        (
            "claude-code",
            "CLAUDE_CONFIG_DIR",
            "settings.json",
            ".claude.json",
            ".claude",
        ),
        ("codex", "CODEX_HOME", "hooks.json", "config.toml", ".codex"),
        (
            "gemini",
            "GEMINI_CLI_HOME",
            ".gemini/settings.json",
            ".gemini/settings.json",
            ".gemini",
        ),
        (
            "copilot",
            "COPILOT_HOME",
            "hooks/notes.json",
            "mcp-config.json",
            ".copilot",
        ),
        (
            "qwen",
            "QWEN_HOME",
            "settings.json",
            "settings.json",
            ".qwen",
        ),
        (
            "opencode",
            "XDG_CONFIG_HOME",
            "opencode/plugins/notes-hooks.js",
            "opencode/opencode.json",
            ".config",
        ),
        (
            "cline",
            "CLINE_DIR",
            "plugins/notes-hooks.js",
            "data/settings/cline_mcp_settings.json",
            ".cline",
        ),
    ] {
        let user = User::new();
        let moved = user.home().join("a moved folder");
        let variables = [(variable, moved.clone())];
        let install = ["hooks", "install", "--client", client];
        let (code, said, errors) = run(&user, &variables, &install);
        assert_eq!(code, 0, "{client}: {said}{errors}");
        for file in [hooks, servers] {
            let text = fs::read_to_string(moved.join(file)).unwrap_or_default();
            assert!(text.contains("notebook"), "{client}: {file}: {text}");
        }
        assert!(!user.home().join(usual).exists(), "{client}");
        assert!(!user.home().join(".claude.json").exists(), "{client}");

        // The doctor says which folder, and why, and finds what is in the other one.
        let doctor = ["hooks", "doctor", "--client", client];
        let (code, page, _) = run(&user, &variables, &doctor);
        assert_eq!(code, 0, "{client}: {page}");
        let why = format!("{}, which `{variable}` names", moved.display());
        assert!(
            page.contains(&why) || page.contains(&format!("which `{variable}` names")),
            "{page}"
        );
        assert!(
            page.contains("user scope: entries are present and current"),
            "{page}"
        );
        let (code, page, _) = run(&user, &[], &doctor);
        assert_eq!(code, 1, "{client}: {page}");
        assert!(
            page.contains("reads only while a variable names that folder"),
            "{page}"
        );
        // One installation a folder: a second one, then both go at once.
        assert_eq!(run(&user, &[], &install).0, 0, "{client}");
        assert!(user.home().join(usual).exists(), "{client}");
        let (code, page, _) = run(&user, &variables, &doctor);
        assert!(page.contains("does not read while"), "{client}: {page}");
        assert_eq!(code, 0, "{client}: {page}");
        fs::remove_dir_all(&moved).unwrap();
        let (code, page, _) = run(&user, &variables, &doctor);
        assert_eq!(code, 1, "{client}: {page}");
        let (code, removed, errors) = run(
            &user,
            &[],
            &["hooks", "uninstall", "--client", client, "--json"],
        );
        assert_eq!(code, 0, "{client}: {errors}");
        let removed: Value = serde_json::from_str(&removed).unwrap();
        assert_eq!(
            removed.as_array().map(Vec::len),
            Some(2),
            "{client}: {removed}"
        );
        assert!(!user.home().join(usual).exists(), "{client}");
    }
}

#[test]
fn a_relative_folder_is_refused_and_an_empty_one_is_the_usual() {
    let user = User::new();
    let install = ["hooks", "install", "--client", "claude-code"];
    let (code, _, errors) = run(&user, &[("CLAUDE_CONFIG_DIR", "alt".into())], &install);
    assert!(
        code != 0 && errors.contains("is not an absolute path\nhelp: "),
        "{errors}"
    );
    // Another client's variable does not matter.
    let codex = ["hooks", "install", "--client", "codex"];
    assert_eq!(
        run(&user, &[("CLAUDE_CONFIG_DIR", "alt".into())], &codex).0,
        0
    );
    assert_eq!(
        run(&user, &[("CLAUDE_CONFIG_DIR", "".into())], &install).0,
        0
    );
    assert!(user.home().join(".claude/settings.json").exists());
}

#[test]
fn what_the_client_ignores_is_refused_before_it_is_written_and_named_by_the_doctor() {
    let comma = "trailing commas are not allowed";
    let comment = "comments are not allowed";
    let mark = "byte order mark";
    let claude = ("claude-code", ".claude/settings.json");
    let codex = ("codex", ".codex/hooks.json");
    let gemini = ("gemini", ".gemini/settings.json");
    let kind = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"x\"}]}]}}";
    for ((client, file), text, place, wrong) in [
        (claude, "{\n  // mine\n}", "2:3", comment),
        (claude, "{\n  \"a\": 1,\n}", "2:9", comma),
        (claude, "{\n \"model\": 5}", "2:11", "`model` is not a text"),
        (
            claude,
            "{\"permissions\": []}",
            "1:17",
            "`permissions` is not an object",
        ),
        (
            claude,
            "{\"permissions\": {\"allow\": \"x\"}}",
            "1:27",
            "`permissions.allow` is not a list",
        ),
        (codex, "{/* mine */}", "1:2", comment),
        (codex, "\u{feff}{}", "1:1", mark),
        (
            codex,
            "{\"mine\": 1}",
            "1:2",
            "it does not know the member `mine`",
        ),
        (
            codex,
            "{\"hooks\": {}, \"hooks\": {}}",
            "1:15",
            "`hooks` is there twice",
        ),
        (codex, kind, "1:41", "is not one of"),
        (gemini, "{\n  \"a\": 1,\n}", "2:9", comma),
        (gemini, "\u{feff}{}", "1:1", mark),
        (
            gemini,
            "{\"security\": 5}",
            "1:14",
            "`security` is not an object",
        ),
        (("qwen", ".qwen/settings.json"), "{\"a\": 1,}", "1:8", comma),
        (
            ("copilot", ".copilot/hooks/notes.json"),
            "{/**/}",
            "1:2",
            comment,
        ),
    ] {
        let user = User::new();
        let path = user.home().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let install = ["hooks", "install", "--client", client];
        let (code, _, errors) = run(&user, &[], &install);
        assert_ne!(code, 0, "{client} {text}");
        let begins = format!("{}:{place}: ", path.display());
        assert!(
            errors.contains(&begins) && errors.contains(wrong),
            "{client} {text}: {errors}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{client}");
        // The same after an installation.
        fs::remove_file(&path).unwrap();
        assert_eq!(run(&user, &[], &install).0, 0, "{client}");
        let doctor = ["hooks", "doctor", "--client", client];
        assert_eq!(run(&user, &[], &doctor).0, 0, "{client}");
        fs::write(&path, text).unwrap();
        let (code, page, _) = run(&user, &[], &doctor);
        assert!(
            code == 1 && page.contains(&begins) && page.contains(wrong),
            "{client}: {page}"
        );
    }
    // What the client reads is edited.
    for (client, file, text) in [
        (
            "gemini",
            ".gemini/settings.json",
            "{\n  // mine\n  \"ui\": {}\n}",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "\u{feff}{\"unheardOf\": 5, \"env\": {\"A\": 1}}",
        ),
        ("qwen", ".qwen/settings.json", "\u{feff}{ /* mine */ }"),
        (
            "codex",
            ".codex/hooks.json",
            "{\"description\": \"mine\", \"hooks\": {\"Stop\": []}}",
        ),
        (
            "opencode",
            ".config/opencode/opencode.json",
            "{ // mine\n \"model\": \"x\",}",
        ),
    ] {
        let user = User::new();
        let path = user.home().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let (code, _, errors) = run(&user, &[], &["hooks", "install", "--client", client]);
        assert_eq!(code, 0, "{client} {text}: {errors}");
        run(&user, &[], &["hooks", "uninstall", "--client", client]);
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{client}");
    }
}

#[test]
fn the_hooks_are_written_where_the_servers_file_cannot_be() {
    let user = User::new();
    let servers = user.home().join(".claude.json");
    // A large file is edited.
    let history = "x".repeat(9 << 20);
    fs::write(
        &servers,
        json!({"projects": {"/p": {"history": [history]}}}).to_string(),
    )
    .unwrap();
    let install = ["hooks", "install", "--client", "claude-code"];
    assert_eq!(run(&user, &[], &install).0, 0);
    assert!(fs::read_to_string(&servers).unwrap().contains("mcpServers"));
    run(
        &user,
        &[],
        &["hooks", "uninstall", "--client", "claude-code"],
    );
    for broken in [
        " ".repeat((64 << 20) + 1),
        "{ // mine\n}".into(),
        "{".into(),
    ] {
        fs::write(&servers, &broken).unwrap();
        let (code, said, errors) = run(&user, &[], &install);
        assert_eq!(code, 0, "{errors}");
        let copy = user.data().join("bin/notebook");
        let copy = copy.to_str().unwrap().replace('\'', r"'\''");
        let by_hand =
            format!("next: add the server by `claude mcp add --scope user notes -- '{copy}' serve");
        assert!(
            said.contains("warning: the MCP server is not added, and the hooks are: "),
            "{said}"
        );
        assert!(said.contains(&by_hand), "{said}");
        assert!(fs::read_to_string(&servers).unwrap() == broken);
        let settings = fs::read_to_string(user.home().join(".claude/settings.json")).unwrap();
        assert!(settings.contains("--id notebook"), "{settings}");
        run(
            &user,
            &[],
            &["hooks", "uninstall", "--client", "claude-code"],
        );
    }
}
