//! Markdown files that declare themselves: what is read, and every way in which a file can be wrong.

use std::fs;

use hooks_sdk::guidance::{
    Folder, HookInput, HookType, Lifecycle, McpFeature,
    RequirementLevel::{self, MustNot},
};
use serde_json::json;

const GOOD: &str =
    "---\ntype: session\nlifecycle: start\nname: Welcome\nrequirement: SHOULD\n---\nHello.\n";

fn one(text: &str) -> HookInput {
    Folder::embedded([("welcome.md", text)]).unwrap().hooks()[0].clone()
}

fn problems(name: &str, content: &[u8]) -> Vec<String> {
    let problems = Folder::embedded([(name, content)]).unwrap_err();
    problems
        .iter()
        .map(|problem| problem.message.to_string())
        .collect()
}

#[test]
fn a_file_declares_everything_that_a_hook_can_be() {
    let text = "---\ntype: action\nlifecycle: running\nname: Care\nrequirement: MUST NOT\ntag: care\n\
                priority: -5\napp: mine\ndescription: >-\n  of what\n  is there\nstorage: memory\n\
                features: [sampling, tools]\nconfig:\n  - debug = true\n  - level = verbose\n  \
                - 'window = {\"wide\": [1, 2]}'\ntags: [a, b]\nblocking: true\ndependencies: [x]\n\
                tool: delete_*\n---\n\n\nFirst.\n\n    code\n\n\n";
    let config = json!({"debug": true, "level": "verbose", "window": {"wide": [1, 2]}});
    let expected = HookInput::new(
        HookType::Action,
        Lifecycle::Running,
        "care",
        "Care",
        MustNot,
    )
    .priority(-5)
    .app("mine")
    .description("of what is there")
    .requires_storage(["memory"])
    .requires_features([McpFeature::Sampling, McpFeature::Tools])
    .requires_config(config.as_object().unwrap().clone())
    .tags(["a", "b"])
    .blocking(true)
    .dependencies(["x"])
    .tool("delete_*")
    .content_file("welcome.md")
    .text("First.\n\n    code");
    assert_eq!(one(text), expected);
}

#[test]
fn the_tag_is_the_files_name_and_line_ends_do_not_matter() {
    let plain = one(GOOD);
    assert_eq!(
        (&*plain.tag, plain.text.as_deref()),
        ("welcome", Some("Hello."))
    );
    assert_eq!(one(&GOOD.replace('\n', "\r\n")), plain);
    assert_eq!(one(&format!("\u{feff}{GOOD}")), plain);
    let deep = Folder::embedded([("sub/tips.md", GOOD), ("notes.txt", "x")]).unwrap();
    assert_eq!((&*deep.hooks()[0].tag, deep.hooks().len()), ("tips", 1));
    let level = |word: &str| one(&GOOD.replace("SHOULD", word)).requirement_level;
    assert_eq!(
        [level("MUST_NOT"), level("MUST NOT")],
        [RequirementLevel::MustNot; 2]
    );
}

#[test]
fn every_problem_of_a_file_is_named_with_its_line() {
    let text = "---\ntype: sesion\nname: \"\"\nrequirement: should\npriority: high\ncolour: red\n\
                features: [sampling, roots]\nconfig: [debug, a = 1, a = 2]\nblocking: \"true\"\ntags:\n---\n";
    let expected = [
        "Welcome.md:6: unknown key `colour`",
        "Welcome.md:2: `type`: `sesion` is none of `session`, `action`, `storage`, `config`",
        "Welcome.md:1: missing `lifecycle`",
        "Welcome.md:3: `name`: the name is empty",
        "Welcome.md:4: `requirement`: `should` is none of `MUST`, `MUST NOT`, `SHOULD`, `SHOULD NOT`, `MAY`",
        "Welcome.md:1: the file's name `Welcome` cannot be the tag",
        "Welcome.md:5: `priority`: `high` cannot stand here",
        "Welcome.md:7: `features`: `roots` is none of `tools`, `resources`, `prompts`, `sampling`, `elicitation`",
        "Welcome.md:8: `config`: `debug` is no `key = value`",
        "Welcome.md:8: `config`: `a` is given twice",
        "Welcome.md:10: `tags`: it has no value",
        "Welcome.md:9: `blocking`: `true` cannot stand here",
        "Welcome.md:11: the text is empty",
    ];
    assert_eq!(problems("Welcome.md", text.as_bytes()), expected);
}

#[test]
fn a_file_that_cannot_be_read_at_all_has_one_problem() {
    let many: String = (0..10_000).map(|n| format!("k{n}:\n")).collect();
    let many = format!("---\n{}\n---\nx", &many[..20_000]);
    let long = format!("{GOOD}{}", "x".repeat(32 * 1024));
    for (content, expected) in [
        (&b"Hello."[..], "a.md:1: there is no front matter"),
        (b"", "a.md:1: there is no front matter"),
        (
            b"---\ntype: session\n",
            "a.md:1: the front matter is not closed",
        ),
        (
            b"---\nname: a\nname: b\n---\nx",
            "a.md:3: `name` is given twice; first in line 2",
        ),
        (
            b"---\nname: &a b\n---\nx",
            "a.md:2: anchors are not allowed",
        ),
        (
            b"---\nconfig: {debug: true}\n---\nx",
            "a.md:2: `config` has a value inside a value",
        ),
        (
            b"---\nname: Issue #12 first\n---\nx",
            "a.md:2: the value ends before ` #`, which begins a comment",
        ),
        (
            b"---\nname: a\n---\ncaf\xe9",
            "a.md:4: `a.md` is not UTF-8 (byte 19)",
        ),
        (many.as_bytes(), "a.md:66: more than 64 keys"),
        (
            long.as_bytes(),
            "a.md:1: the file is longer than 32768 bytes",
        ),
    ] {
        assert_eq!(problems("a.md", content), [expected]);
    }
    for name in ["a.MD", "sub/b.markdown"] {
        let expected = format!("{name}:1: a hook's file has a name that ends in `.md`");
        assert_eq!(problems(name, GOOD.as_bytes()), [expected]);
    }
}

#[test]
fn two_files_of_one_hook_are_a_problem() {
    let second = GOOD
        .replace("Welcome", "Again")
        .replace("type:", "tag: welcome\ntype:");
    let files = [("welcome.md", GOOD.to_owned()), ("again.md", second)];
    let problem = Folder::embedded(files).unwrap_err();
    let expected = "1 problem with hooks\n  welcome.md:1: a second `welcome` hook for `session start`; \
                    the first is in `again.md`\n    help: give one of them another `tag`";
    assert_eq!(problem.to_string(), expected);
}

#[test]
fn a_directory_is_read_with_what_is_below_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("welcome.md"), GOOD).unwrap();
    fs::write(folder.path().join("sub/tips.md"), GOOD).unwrap();
    fs::write(folder.path().join("notes.txt"), "no hook").unwrap();
    let hooks = Folder::read(folder.path()).unwrap();
    let files: Vec<_> = hooks
        .into_iter()
        .filter_map(|hook| hook.content_file)
        .collect();
    assert_eq!(files, ["sub/tips.md", "welcome.md"]);
    let missing = Folder::read(folder.path().join("nowhere"))
        .unwrap_err()
        .to_string();
    assert!(missing.contains("nowhere` cannot be read"), "{missing}");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_directory_is_a_problem() {
    use std::os::unix::fs::symlink;

    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("hooks");
    fs::create_dir(&folder).unwrap();
    fs::write(above.path().join("outside.md"), GOOD).unwrap();
    symlink(above.path().join("outside.md"), folder.join("linked.md")).unwrap();
    symlink(above.path(), folder.join("loop")).unwrap();
    let problem = Folder::read(&folder).unwrap_err().to_string();
    let expected = "`linked.md` leads out of the folder of hook texts";
    assert!(problem.contains(expected), "{problem}");
}

static HOOKS: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/hooks");

#[test]
fn a_folder_in_the_program_is_taken_with_what_is_below_it() {
    let folder = Folder::of_dir(&HOOKS).unwrap();
    let on_disk = Folder::read(concat!(env!("CARGO_MANIFEST_DIR"), "/hooks")).unwrap();
    assert!(folder.hooks().len() > 1);
    assert_eq!(folder.hooks(), on_disk.hooks());
}
