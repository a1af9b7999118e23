//! Files that are never touched, and what is said of them.

use std::fs;

use hooks_sdk::clients::config::{Format, Obstacle};

use super::desk::Desk;

#[test]
fn a_file_that_does_not_read_well_is_left_alone() {
    let deep = "[".repeat(100_000);
    for (settings, obstacle, place, wrong) in [
        (&b"{\n  \"a\": }"[..], Obstacle::Syntax, Some((2, 8)), ""),
        (
            b"{\"a\": 1",
            Obstacle::Syntax,
            Some((1, 1)),
            "unterminated object",
        ),
        (b"{'a': 1}", Obstacle::Syntax, Some((1, 2)), "single-quoted"),
        (b"{a: 1}", Obstacle::Syntax, Some((1, 2)), ""),
        (b"{\"a\": 1 \"b\": 2}", Obstacle::Syntax, Some((1, 8)), ""),
        (b"{} {}", Obstacle::Syntax, Some((1, 4)), "more than one"),
        (deep.as_bytes(), Obstacle::Syntax, Some((1, 513)), "depth"),
        (b"{\n\"\xff\"}", Obstacle::Encoding, Some((2, 2)), "UTF-8"),
        (b"\xff\xfe{\0}\0", Obstacle::Encoding, Some((1, 1)), "UTF-8"),
        (b"[]", Obstacle::Shape, Some((1, 1)), "the file is a list"),
        (
            b"{\n \"hooks\": []}",
            Obstacle::Shape,
            Some((2, 11)),
            "`hooks` is a list",
        ),
        (
            b"{\"hooks\": null}",
            Obstacle::Shape,
            Some((1, 11)),
            "`hooks` is null",
        ),
        (
            b"{\"hooks\": {\"Stop\": {}}}",
            Obstacle::Shape,
            Some((1, 20)),
            "`Stop` is an object",
        ),
        (
            b"{\"hooks\": {}, \"hooks\": {}}",
            Obstacle::Shape,
            Some((1, 15)),
            "occurs twice",
        ),
    ] {
        let desk = Desk::with(settings);
        let error = desk.refused(&desk.plan(&["Stop"]));
        assert_eq!(error.obstacle, obstacle, "{error}");
        assert_eq!(error.position, place, "{error}");
        assert_eq!(error.file, desk.settings());
        let said = error.to_string();
        assert!(said.contains(wrong) && said.contains("\nhelp: "), "{said}");
        assert!(said.contains("settings.json:"), "{said}");
        assert!(!desk.data().exists());
    }
}

#[test]
fn a_toml_file_that_does_not_read_well_is_left_alone() {
    let deep = format!("a = {}", "[".repeat(100_000));
    for (config, obstacle, place) in [
        ("a = 1\nb = = 2", Obstacle::Syntax, Some(2)),
        (&deep, Obstacle::Syntax, Some(1)),
        ("a = 1\na = 2", Obstacle::Syntax, Some(2)),
        ("x = 1\nmcp_servers = 3", Obstacle::Shape, Some(2)),
        ("[[mcp_servers]]\na = 1", Obstacle::Shape, Some(1)),
    ] {
        let desk = Desk::new();
        desk.write(&desk.toml(), config);
        let error = desk.refused(&desk.plan(&["Stop"]).server(desk.server(Format::Toml)));
        assert_eq!(error.obstacle, obstacle, "{error}");
        assert_eq!(error.position.map(|(line, _)| line), place, "{error}");
        assert_eq!(error.file, desk.toml());
    }
}

#[test]
fn what_is_no_file_is_left_alone() {
    let desk = Desk::new();
    fs::create_dir_all(desk.settings()).expect("made");
    let error = desk.refused(&desk.plan(&["Stop"]));
    assert_eq!(error.obstacle, Obstacle::NotAFile, "{error}");

    let desk = Desk::new();
    desk.write(&desk.home.join(".client"), "a file where a folder belongs");
    let error = desk.refused(&desk.plan(&["Stop"]));
    assert_eq!(error.obstacle, Obstacle::Io, "{error}");
}

#[test]
fn a_file_too_large_for_a_configuration_is_left_alone() {
    let mut settings = vec![b' '; 64 * 1024 * 1024 - 1];
    settings.extend(b"{}");
    let desk = Desk::with(settings);
    let error = desk.refused(&desk.plan(&["Stop"]));
    assert_eq!(error.obstacle, Obstacle::Size, "{error}");
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_left_alone_and_so_are_the_others() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = Desk::with("{}");
    desk.write(&desk.toml(), "a = 1\n");
    for file in [desk.settings(), desk.toml()] {
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("set");
        let error = desk.refused(&desk.plan(&["Stop"]).server(desk.server(Format::Toml)));
        assert_eq!(error.obstacle, Obstacle::ReadOnly, "{error}");
        assert_eq!(error.file, file);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("set");
    }
    assert!(!desk.data().exists());

    let desk = Desk::new();
    desk.write(&desk.home.join(".client/keep"), "");
    symlink("settings.json", desk.settings()).expect("linked");
    let error = desk.refused(&desk.plan(&["Stop"]));
    assert_eq!(error.obstacle, Obstacle::NotAFile, "{error}");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_refused_in_the_projects_scope() {
    use std::os::unix::fs::symlink;

    use hooks_sdk::clients::{
        InstallScope,
        config::{HookEntry, InstallationKey, Plan},
    };

    for (link, target, file) in [
        (".client", "..", ".client/settings.json"),
        (".client", "../elsewhere", ".client/settings.json"),
        ("own.json", "../settings.json", "own.json"),
        ("own.json", "inside/../../settings.json", "own.json"),
    ] {
        let desk = Desk::new();
        let project = desk.home.join("project");
        fs::create_dir_all(project.join("inside")).expect("made");
        fs::create_dir_all(desk.home.join("elsewhere")).expect("made");
        for users in ["settings.json", "elsewhere/settings.json"] {
            fs::write(desk.home.join(users), "{\"mine\": 1}").expect("written");
        }
        symlink(target, project.join(link)).expect("linked");
        let plan = |scope| {
            let key = InstallationKey::new("notes", "client", scope, &project);
            let plan = Plan::new(key, &desk.program);
            plan.hook(HookEntry {
                file: project.join(file),
                event: "Stop".to_owned(),
                value: desk.entry("Stop"),
            })
        };
        for scope in [InstallScope::Project, InstallScope::Local] {
            let plan = plan(scope);
            assert!(plan.installed().is_err() && plan.preview(&desk.data()).is_err());
            let error = plan.apply(&desk.data()).expect_err("it leads out");
            assert_eq!(error.obstacle, Obstacle::LeadsOut, "{error}");
            let said = error.to_string();
            assert!(said.contains("leads out of it, to /"), "{said}");
            assert!(
                said.ends_with("help: remove the link, or install with `--scope user`"),
                "{said}"
            );
        }
        for users in ["settings.json", "elsewhere/settings.json"] {
            assert_eq!(desk.read(&desk.home.join(users)), "{\"mine\": 1}");
        }
        // The user's own links are the user's own.
        plan(InstallScope::User)
            .apply(&desk.data())
            .expect("installed");
    }

    // A link within the project, and a project behind a link, lead nowhere else.
    let desk = Desk::new();
    let project = desk.home.join("project");
    fs::create_dir_all(project.join("kept")).expect("made");
    symlink("kept", project.join(".client")).expect("linked");
    symlink("project", desk.home.join("alias")).expect("linked");
    for folder in [project.clone(), desk.home.join("alias")] {
        let key = InstallationKey::new("notes", "client", InstallScope::Project, &folder);
        let plan = Plan::new(key, &desk.program);
        let plan = plan.hook(HookEntry {
            file: folder.join(".client/settings.json"),
            event: "Stop".to_owned(),
            value: desk.entry("Stop"),
        });
        plan.apply(&desk.data()).expect("installed");
    }
    assert!(project.join("kept/settings.json").exists());

    // A link that replaced the folder after the installation.
    fs::remove_file(project.join(".client")).expect("removed");
    fs::create_dir(desk.home.join("elsewhere")).expect("made");
    let users = desk.home.join("elsewhere/settings.json");
    fs::copy(project.join("kept/settings.json"), &users).expect("copied");
    let before = desk.read(&users);
    symlink("../elsewhere", project.join(".client")).expect("linked");
    let error = desk.record().uninstall().expect_err("it leads out");
    assert_eq!(error.obstacle, Obstacle::LeadsOut, "{error}");
    assert_eq!(desk.read(&users), before);
}

#[test]
fn a_broken_record_is_said_and_kept() {
    let desk = Desk::with("{}");
    desk.install(&desk.plan(&["Stop"]));
    let record = desk.record();
    let path = desk.record_file();
    fs::write(&path, "{\"version\": 9}").expect("written");
    let error = record.uninstall().expect_err("broken");
    assert_eq!(error.obstacle, Obstacle::Record, "{error}");
    let error = desk.refused(&desk.plan(&["Stop"]));
    assert_eq!(error.obstacle, Obstacle::Record, "{error}");
    assert!(path.exists());
}
