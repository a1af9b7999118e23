//! The entry that starts the MCP server.

use hooks_sdk::clients::config::{Format, Obstacle};
use serde_json::json;

use super::desk::Desk;

#[test]
fn a_server_is_added_beside_the_hooks() {
    let settings = "{\n  \"a\": 1\n}\n";
    let desk = Desk::with(settings);
    let server = desk.server(Format::Json);
    desk.install(&desk.plan(&["Stop"]).server(server.clone()));
    let expected = json!({
        "a": 1,
        "hooks": {"Stop": [desk.entry("Stop")]},
        "mcpServers": {"notes": server.value},
    });
    assert_eq!(desk.value(), expected);
    desk.uninstall();
    assert_eq!(desk.read(&desk.settings()), settings);
}

#[test]
fn a_table_is_added_to_toml() {
    let program = |desk: &Desk| {
        let table = "[mcp_servers.notes]\nargs = [\"serve\"]\ncommand = \"PROGRAM\"\n";
        table.replace("PROGRAM", &desk.program.display().to_string())
    };
    for (config, before) in [
        ("", ""),
        ("a = 1\n", "a = 1\n\n"),
        ("a = 1 # mine\n\n", "a = 1 # mine\n\n"),
        ("# [mcp_servers.notes]\n", "# [mcp_servers.notes]\n\n"),
        (
            "[mcp_servers.other] # theirs\ncommand = 'x'\n\n[z]\n",
            "[mcp_servers.other] # theirs\ncommand = 'x'\n\n[z]\n\n",
        ),
        (
            "mcp_servers.other.command = 'x'\n",
            "mcp_servers.other.command = 'x'\n\n",
        ),
    ] {
        let desk = Desk::new();
        desk.write(&desk.toml(), config);
        desk.install(&desk.empty_plan().server(desk.server(Format::Toml)));
        assert_eq!(desk.read(&desk.toml()), before.to_owned() + &program(&desk));
        desk.uninstall();
        assert_eq!(desk.read(&desk.toml()), config);
    }
    let desk = Desk::new();
    desk.write(&desk.toml(), "\u{feff}a = 1\r\nb = 2");
    desk.install(&desk.empty_plan().server(desk.server(Format::Toml)));
    let expected = format!("\u{feff}a = 1\nb = 2\n\n{}", program(&desk));
    let expected = expected.trim_end().replace('\n', "\r\n");
    assert_eq!(desk.read(&desk.toml()), expected);
}

#[test]
fn an_inline_table_gets_a_member() {
    for (config, start, end) in [
        ("mcp_servers = {}\n", "mcp_servers = { notes = ", " }\n"),
        (
            "mcp_servers = { a = { command = 'x' } } # all\n",
            "mcp_servers = { a = { command = 'x' }, notes = ",
            " } # all\n",
        ),
        (
            "mcp_servers = { a.command = 'x', }\n",
            "mcp_servers = { a.command = 'x', notes = ",
            ", }\n",
        ),
    ] {
        let desk = Desk::new();
        desk.write(&desk.toml(), config);
        desk.install(&desk.empty_plan().server(desk.server(Format::Toml)));
        let text = desk.read(&desk.toml());
        let letters = |text: &str| text.replace(' ', "");
        let (start, end, found) = (letters(start), letters(end), letters(&text));
        assert!(found.starts_with(&start) && found.ends_with(&end), "{text}");
        // An edit keeps the bytes of before from coming back.
        desk.write(&desk.toml(), format!("# mine\n{text}"));
        desk.uninstall();
        let text = desk.read(&desk.toml());
        let spaces = |text: &str| text.replace(' ', "");
        assert_eq!(spaces(&text), spaces(&format!("# mine\n{config}")));
    }
}

#[test]
fn a_server_that_starts_this_binary_already_is_left_alone() {
    let desk = Desk::new();
    let program = &desk.program;
    #[cfg(unix)]
    std::os::unix::fs::symlink(program, desk.home.join("link")).expect("linked");
    let link = desk.home.join("link");
    for command in [program.as_path(), link.as_path()] {
        for name in ["notes", "my-notes"] {
            let servers = json!({"mcpServers": {name: {"command": command, "args": ["x"]}}});
            desk.write(&desk.settings(), servers.to_string());
            desk.install(&desk.empty_plan().server(desk.server(Format::Json)));
            assert_eq!(desk.read(&desk.settings()), servers.to_string());
        }
    }
    let toml = format!("[mcp_servers.x]\ncommand = '{}'\n", program.display());
    desk.write(&desk.toml(), &toml);
    desk.install(&desk.empty_plan().server(desk.server(Format::Toml)));
    assert_eq!(desk.read(&desk.toml()), toml);
    // The client is recorded all the same, and nothing of the user's is taken away.
    desk.uninstall();
    assert_eq!(desk.read(&desk.toml()), toml);
}

#[test]
fn a_name_that_is_taken_is_an_error_for_every_file() {
    let desk = Desk::with("{\n \"mcpServers\": {\n  \"notes\": {\"url\": \"http://x\"}}}");
    let error = desk.refused(&desk.plan(&["Stop"]).server(desk.server(Format::Json)));
    assert_eq!(error.obstacle, Obstacle::NameTaken);
    assert_eq!(error.position, Some((3, 3)), "{error}");
    desk.write(&desk.toml(), "[mcp_servers]\nnotes.command = 'other'\n");
    let error = desk.refused(&desk.plan(&["Stop"]).server(desk.server(Format::Toml)));
    assert_eq!(error.obstacle, Obstacle::NameTaken);
    assert_eq!(error.position, Some((2, 1)), "{error}");
    assert!(
        error
            .to_string()
            .contains("install the hooks only, with `--no-server`")
    );
}

#[test]
fn a_server_of_ours_follows_the_plan() {
    for format in [Format::Json, Format::Toml] {
        let desk = Desk::new();
        let mut server = desk.server(format);
        let file = server.file.clone();
        let config = match format {
            Format::Json => "{}",
            _ => "a = 1\n",
        };
        desk.write(&file, config);
        desk.install(&desk.empty_plan().server(server.clone()));
        // The program moved.
        server.value = json!({"command": "/new/notes", "args": [], "env": {"A": "b", "c d": "e"}});
        desk.install(&desk.empty_plan().server(server.clone()));
        let text = desk.read(&file);
        assert!(
            text.contains("/new/notes") && !text.contains("my bin"),
            "{text}"
        );
        desk.uninstall();
        assert_eq!(desk.read(&file), config);
    }
}
