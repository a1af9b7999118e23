//! Paths by hand, and properties against other readers of paths.

use proptest::prelude::*;

use super::*;

/// Whether a path lies in a folder under some reading, and whether it does under every reading.
fn lies(path: &str, folder: &str) -> (bool, bool) {
    let folder = Root::new(folder).unwrap();
    (folder.holds(path, false), folder.holds(path, true))
}

const IN: (bool, bool) = (true, true);
const OUT: (bool, bool) = (false, false);
/// Readers disagree, or one of them cannot be known.
const PERHAPS: (bool, bool) = (true, false);

#[test]
fn a_path_lies_in_a_folder_by_its_names() {
    for (path, folder, expected) in [
        ("/etc/passwd", "/etc", IN),
        ("/etc", "/etc/", IN),
        ("/etc/", "/etc", IN),
        ("/etcetera", "/etc", OUT),
        ("/et", "/etc", OUT),
        ("///etc///./passwd", "/etc", IN),
        ("/srv/../etc/passwd", "/etc", IN),
        ("/etc/../srv", "/etc", OUT),
        ("/etc/x/../../etc/y", "/etc", IN),
        ("/../../etc/x", "/etc", IN),
        ("etc/passwd", "/etc", OUT),
        ("~/etc", "/etc", OUT),
        ("", "/etc", OUT),
        ("/anything", "/", IN),
        ("anything", "/", OUT),
        ("src/main.rs", "src", IN),
        ("./src/../src/x", "src", IN),
        ("../src/x", "src", OUT),
        ("src/../../src", "src", OUT),
        ("/src/x", "src", OUT),
        ("x", ".", IN),
        ("../x", ".", OUT),
        ("/srv/C# notes, 100% sure?.md", "/srv", IN),
        ("/srv/Größe: 5.txt", "/srv", IN),
        ("/srv/50%25.md", "/srv", IN),
        ("/srv/100%25/x", "/srv/100%25", IN),
        ("/srv/%u0", "/srv", IN),
    ] {
        assert_eq!(lies(path, folder), expected, "{path:?} in {folder:?}");
    }
}

#[test]
fn a_path_that_readers_read_differently_is_inside_for_some_and_not_for_all() {
    for (path, folder) in [
        (
            "/srv/exports/a\\b\\c/../../../etc/cron.d/notes",
            "/srv/exports",
        ),
        ("\\etc\\..\\etc\\x", "/etc"),
        ("/srv/data/..\\..\\etc", "/srv/data"),
        ("/etc/x\0/../..", "/etc"),
        ("/srv/%2e%2e/etc", "/srv"),
        ("/srv/%252e%252e/etc", "/srv"),
        ("/srv/%25252e%25252e/etc", "/srv"),
        ("/srv/..%2f../etc", "/srv"),
        ("/srv/..%5c../etc", "/srv"),
        ("/srv/%u002e%u002e/etc", "/srv"),
        ("/srv/%c0%ae%c0%ae/etc", "/srv"),
        ("/srv/x?/../../etc", "/srv"),
        ("/srv/x#/../../etc", "/srv"),
        ("/etc/x?/../../srv", "/srv"),
        ("/srv/%3f/%2e%2e/%2e%2e/%2e%2e/etc?/../srv/x", "/srv"),
        ("/srv/.\t./.\n./etc", "/srv"),
        ("/srv/.. /etc", "/srv"),
        ("//srv/x", "/srv"),
        ("\\\\?\\c:\\data\\x", "C:/data"),
        ("/SRV/x", "/srv"),
        (" /srv/x", "/srv"),
        ("file:///srv/x", "/srv"),
        ("File:/srv/x", "/srv"),
        ("~/x", "."),
        ("c:/x", "."),
        ("file:///etc/passwd", "."),
        ("/%73rv/x", "/srv"),
        ("\\srv\\x", "/srv"),
        ("/srv/%/%2e%2e/%2e%2e/x", "/srv"),
        ("/srv./x", "/srv"),
        ("file://host/srv/x", "/srv"),
        ("https:/x", "."),
    ] {
        assert_eq!(lies(path, folder), PERHAPS, "{path:?} in {folder:?}");
    }
}

#[test]
fn a_drive_is_a_place_of_its_own() {
    for (path, folder, expected) in [
        ("C:\\data\\x", "C:/data", IN),
        ("c:/data/x", "C:/data", IN),
        ("C:\\..\\data\\x", "C:/data", IN),
        ("C:\\data\\..\\x", "C:/data", OUT),
        ("D:\\data\\x", "C:/data", OUT),
        ("\\data\\x", "C:/data", OUT),
        ("C:data\\x", "C:/data", OUT),
        ("\\\\server\\share\\x", "\\\\server\\share", PERHAPS),
        ("//server/share/x", "\\\\server\\share", IN),
        ("/server/share/x", "\\\\server\\share", OUT),
        ("\\server\\share\\x", "\\\\server\\share", OUT),
        ("server/share/x", "\\\\server\\share", OUT),
    ] {
        assert_eq!(lies(path, folder), expected, "{path:?} in {folder:?}");
    }
}

#[test]
fn a_uri_lies_below_another() {
    for (path, folder, expected) in [
        ("file:///srv/x", "file:///srv", IN),
        ("FILE:///srv/x?a#b", "file:///srv", IN),
        ("file:///srv/%2e%2e/etc", "file:///srv", PERHAPS),
        ("file:///srv/..%2Fetc", "file:///srv", PERHAPS),
        ("file:///srv/..%5cetc", "file:///srv", PERHAPS),
        ("file:///srv/x?/../../etc/passwd", "file:///srv", PERHAPS),
        ("file:///srv/x#/../../etc/passwd", "file:///srv", PERHAPS),
        ("file:///%73rv/x", "file:///srv", IN),
        ("file:///../srv/x", "file:///srv", IN),
        ("file:///etc?/../srv", "file:///srv", PERHAPS),
        ("file:///srv/%zz", "file:///srv", IN),
        ("file:/srv/x", "file:///srv", PERHAPS),
        ("file:////srv/x", "file:///srv", IN),
        ("file://localhost/srv/x", "file:///srv", PERHAPS),
        ("/srv/x", "file:///srv", OUT),
        ("file:///srv/x", "file://server/srv", OUT),
        ("https://Docs.example/a/b", "https://docs.example/a", IN),
        ("https:/docs.example/a/b", "https://docs.example/a", PERHAPS),
        (
            "https://docs.example.org/a/b",
            "https://docs.example/a",
            OUT,
        ),
        ("https://docs.example@evil/a", "https://docs.example", OUT),
        (
            "https://docs.example\\@evil/a",
            "https://docs.example",
            PERHAPS,
        ),
        (
            "https://docs.example%2f@evil/a",
            "https://docs.example",
            PERHAPS,
        ),
        (
            "https://docs.example?@evil/a",
            "https://docs.example",
            PERHAPS,
        ),
        ("file:///my docs/x", "file:///my%20docs", IN),
        ("file:///my%20docs/x", "file:///my docs", IN),
        ("memo://notes/1", "memo://notes", IN),
        ("memo://other/1", "memo://notes", OUT),
    ] {
        assert_eq!(lies(path, folder), expected, "{path:?} in {folder:?}");
    }
}

#[test]
fn a_path_with_too_many_readings_is_on_the_strict_side_of_each_rule() {
    let signs = "%3f%23%00?#\0%253f%2523".repeat(3);
    let long = format!("/srv/{}?", "a".repeat(40_000));
    for path in [
        format!("/srv/{signs}"),
        long,
        "/srv/%2525252525252e".to_owned(),
    ] {
        assert_eq!(lies(&path, "/srv"), PERHAPS, "{path:.40}");
    }
}

#[test]
fn a_sign_that_cannot_be_decoded_is_as_it_is_written() {
    for (path, decoded) in [
        ("a%zb%2ec", "a%zb.c"),
        ("%%%2e%2e%zz%41", "%%..%zzA"),
        ("a%u20ac%", "a€%"),
    ] {
        let readings = readings(path, false).unwrap();
        let texts: Vec<_> = readings.iter().map(|reading| &*reading.text).collect();
        assert_eq!(texts, [path.as_bytes(), decoded.as_bytes()], "{path}");
    }
}

#[test]
fn a_folder_says_itself_where_it_is() {
    for folder in ["/srv/../etc", "file:///srv/%2e%2e/etc", "C:\\a\\..\\b"] {
        let Err((wrong, help)) = Root::new(folder) else {
            panic!()
        };
        assert_eq!(wrong, format!("the folder `{folder}` has `..` in it"));
        assert_eq!(help, "write the folder without `..`");
    }
}

/// Resolves names as `normpath` does: an absolute path stays below its root.
fn normal<'p>(parts: impl Iterator<Item = &'p str>, absolute: bool) -> Vec<&'p str> {
    let mut found: Vec<&str> = Vec::new();
    for part in parts {
        match part {
            "" | "." => {}
            ".." if found.last().is_some_and(|last| *last != "..") => _ = found.pop(),
            ".." if absolute => {}
            name => found.push(name),
        }
    }
    found
}

/// As Python's `posixpath.normpath`.
fn posix(path: &str, folder: &[&str]) -> bool {
    // C programs end at a NUL.
    let path = path.split('\0').next().unwrap_or_default();
    path.starts_with('/') && normal(path.split('/'), true).starts_with(folder)
}

/// As Python's `ntpath.normpath`.
fn windows(path: &str, folder: &[&str]) -> bool {
    let path = path.replace('/', "\\");
    let share = path.starts_with("\\\\") && !path.starts_with("\\\\\\");
    path.starts_with('\\') && !share && normal(path.split('\\'), true).starts_with(folder)
}

/// Decodes `%2e` once.
fn percent(path: &str) -> String {
    let mut decoded = String::new();
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        let sign = rest.get(at + 1..at + 3);
        match sign
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
            .filter(u8::is_ascii)
        {
            Some(sign) if sign != b'+' => {
                decoded.push(char::from(sign));
                rest = &rest[at + 3..];
            }
            _ => {
                decoded.push('%');
                rest = &rest[at + 1..];
            }
        }
    }
    decoded + rest
}

/// The path of a URL as a server sees it: cut, then decoded, then resolved.
fn url(path: &str, folder: &[&str]) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    posix(&percent(path), folder)
}

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => Just("/"), 2 => Just("\\"), 4 => Just(".."), 2 => Just("a"), 2 => Just("b"),
        1 => Just("."), 2 => Just("%2e"), 2 => Just("%2F"), 2 => Just("%5c"), 1 => Just("%252e"), 1 => Just("%252f"),
        1 => Just("?"), 1 => Just("#"), 1 => Just("%3f"), 1 => Just("%23"), 1 => Just("\0"), 1 => Just("%00"), 1 => Just(" "),
    ];
    let rest = proptest::collection::vec(part, 0..16).prop_map(|parts| parts.concat());
    (
        prop_oneof![Just("/"), Just("/a/"), Just("/a/b/"), Just("")],
        rest,
    )
        .prop_map(|(start, rest)| format!("{start}{rest}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn inside_for_all_is_inside_for_each_reader_and_inside_for_one_is_inside_for_some(
        path in text(), folder in prop_oneof![Just("/a"), Just("/a/b"), Just("/")],
    ) {
        let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        let once = percent(&path);
        let readers = [
            posix(&path, &parts), windows(&path, &parts), url(&path, &parts), posix(&once, &parts),
            windows(&once, &parts), posix(&percent(&once), &parts), windows(&percent(&once), &parts),
            url(&once, &parts), windows(&percent(path.split(['?', '#']).next().unwrap()), &parts),
        ];
        let (some, all) = lies(&path, folder);
        if all {
            prop_assert!(readers.iter().all(|inside| *inside), "{:?} in {:?}: {:?}", path, folder, readers);
        }
        if readers.contains(&true) {
            prop_assert!(some, "{:?} in {:?}: {:?}", path, folder, readers);
        }
        let uri = format!("file://{}", if path.starts_with('/') { path.clone() } else { format!("/{path}") });
        let (some, all) = lies(&uri, &format!("file://{folder}"));
        let readers = [url(&uri[7..], &parts), url(&percent(&uri)[7..], &parts)];
        prop_assert!(!all || readers.iter().all(|inside| *inside), "{:?} in {:?}: {:?}", uri, folder, readers);
        prop_assert!(some || !readers.contains(&true), "{:?} in {:?}: {:?}", uri, folder, readers);
    }
}
