//! Each check accepts what is right and says how to mend what is wrong.

use hooks_clients::dump::Dump;

use super::*;

fn about(dump: &Dump) -> PackageFacts<'_> {
    PackageFacts {
        name: "notes",
        program: "notes-server",
        dump,
    }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, impl Into<CommandError>>, why: &str) {
    let error = outcome.map_err(Into::into).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_version_is_one_and_no_range() {
    let of = |version: Option<&str>| {
        let mut dump = Dump::default();
        dump.about.version = version.map(str::to_owned);
        about(&dump).exact_version()
    };
    assert_eq!(of(Some("1.2.3-rc.1")).unwrap().to_string(), "1.2.3-rc.1");
    for wrong in [
        "banana", "", "1", "1.2", "^1.2.3", "~1.2.3", ">=1.0.0", "1.x", "1.2.*", "1 - 2", "latest",
        "v1.2.3", " 1.2.3",
    ] {
        refused(
            of(Some(wrong)),
            "is not a version of the form MAJOR.MINOR.PATCH",
        );
    }
    refused(of(None), "help: set it with `Program::version");
}

#[test]
fn a_name_of_the_registry_has_one_slash_between_two_parts() {
    let of = |name: Option<&str>| {
        let mut dump = Dump::default();
        dump.about.registry_name = name.map(str::to_owned);
        about(&dump).needed_registry_name().map(str::to_owned)
    };
    for right in ["io.github.acme/memory", "com.example/my_server.2", "ab/cd"] {
        assert_eq!(of(Some(right)).unwrap(), right);
    }
    let long = format!("io.github.acme/{}", "m".repeat(200));
    for wrong in [
        "memory",
        "a/b/c",
        "/memory",
        "io.github.acme/",
        "io_github/memory",
        ".io/memory",
        "io./memory",
        "io.x/-memory",
        "io.x/memory.",
        "a/b",
        "io.x/mem ory",
        "io.x/m\u{e9}moire",
        &long,
    ] {
        refused(of(Some(wrong)), "exactly one `/`");
    }
    refused(of(None), "Program::registry_name");
}

#[test]
fn a_url_is_a_whole_one() {
    assert!(https("https://example.com/a", "it").is_ok());
    for wrong in [
        "http://example.com",
        "https://",
        "https:///a",
        "example.com",
        "/a",
        "https://exa mple.com",
        "https://example.com/a b",
        "javascript:x",
        "https://a@b/",
    ] {
        refused(
            https(wrong, "`Program::homepage`"),
            "from `Program::homepage`, is not a URL",
        );
    }
}

#[test]
fn a_placeholder_is_one_that_is_replaced() {
    let of = |text: &str| placeholders(&[text.to_owned()]);
    for right in [
        "--database",
        "${HOME}/notes.db",
        "${__dirname}${/}a",
        "$HOME",
        "{x}",
    ] {
        of(right).unwrap();
    }
    for wrong in [
        "${user_config.nope}",
        "a${nope}",
        "${HOME",
        "${}",
        "${HOME}${home}",
    ] {
        refused(of(wrong), "which the manifest does not have");
    }
}

#[test]
fn a_name_of_npm_is_in_lower_case_and_has_at_most_one_scope() {
    for right in ["memory", "@acme/memory", "@a.b/c_d-1"] {
        assert_eq!(npm_name(right).unwrap(), right);
    }
    let long = "m".repeat(191);
    for wrong in [
        "",
        "Memory",
        "@acme",
        "@acme/",
        "@/memory",
        "acme/memory",
        "@a/b/c",
        ".memory",
        "mem ory",
        "../memory",
        "@acme/../x",
        &long,
    ] {
        refused(npm_name(wrong), "is not a name of npm");
    }
}

/// Returns the beginning of a PNG of this size.
pub(in crate::package) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend(width.to_be_bytes());
    png.extend(height.to_be_bytes());
    png
}

#[test]
fn an_icon_is_a_large_square() {
    icon(&png(512, 512)).unwrap();
    icon(&png(2048, 2048)).unwrap();
    refused(icon(&png(512, 513)), "512 by 513 pixels");
    refused(icon(&png(511, 511)), "help: give `Program::icon` a square");
    refused(icon(&png(2049, 2049)), "2049 by 2049");
    refused(icon(&vec![0; 2 << 20]), "2 MB or more");
    refused(icon(b"<svg>"), "is not a PNG");
    refused(icon(&png(512, 512)[..20]), "is not a PNG");
}
