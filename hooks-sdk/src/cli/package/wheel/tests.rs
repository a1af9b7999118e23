//! A wheel has the program where tools for Python install it, and metadata that nothing can break.

use std::io::{Cursor, Read as _};

use super::*;
use crate::cli::package::{
    platform::Platform,
    programs::tests::program as bytes,
    tests::{about, program},
};

fn made(version: &str, name: &str, triple: &str) -> Result<(Contents, Vec<u8>), String> {
    let program = program();
    let about = PackageFacts {
        version: Some(version),
        description: "Notes\nName: other",
        registry_name: Some("io.github.acme/notes"),
        ..about(&program)
    };
    let platform = Platform::of(triple).unwrap();
    let mut bytes = bytes(platform, false);
    bytes.extend(b"\0GLIBC_2.34\0");
    let programs = [PlatformProgram {
        platform,
        bytes: bytes.clone(),
    }];
    let made = contents(&about, name, &programs, "/dist").map_err(|error| error.to_string());
    Ok((made?, bytes))
}

#[test]
fn a_wheel_has_the_program_its_metadata_and_their_hashes() {
    let (made, program) = made("1.2.3-rc.1", "My.notes", "x86_64-unknown-linux-gnu").unwrap();
    let (name, wheel) = made.files.iter().next().unwrap();
    assert_eq!(name, "my_notes-1.2.3rc1-py3-none-manylinux_2_34_x86_64.whl");
    let mut archive = zip::ZipArchive::new(Cursor::new(&wheel.bytes)).unwrap();
    let mut read = |path: &str| {
        let mut file = archive.by_name(path).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        (bytes, file.unix_mode().unwrap() & 0o777)
    };
    assert_eq!(
        read("my_notes-1.2.3rc1.data/scripts/notes"),
        (program.clone(), 0o755)
    );
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let metadata = text(read("my_notes-1.2.3rc1.dist-info/METADATA").0);
    // A description of several lines adds no field.
    assert!(
        metadata.contains("\nSummary: Notes Name: other\n"),
        "{metadata}"
    );
    assert!(
        metadata.ends_with("\nmcp-name: io.github.acme/notes\n"),
        "{metadata}"
    );
    let record = text(read("my_notes-1.2.3rc1.dist-info/RECORD").0);
    let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&program));
    assert!(
        record.contains(&format!("scripts/notes,sha256={hash},{}\n", program.len())),
        "{record}"
    );
    assert!(
        made.notes
            .iter()
            .any(|note| note.contains("uvx --from My.notes notes"))
    );
}

#[test]
fn a_program_for_musl_is_for_every_linux() {
    let (made, _) = made("1.2.3", "notes", "aarch64-unknown-linux-musl").unwrap();
    let names: Vec<&str> = made.files.iter().map(|(path, _)| path).collect();
    assert_eq!(
        names,
        ["notes-1.2.3-py3-none-manylinux_2_17_aarch64.musllinux_1_1_aarch64.whl"]
    );
}

#[test]
fn a_version_that_python_lacks_is_refused() {
    for wrong in ["1.2.3-nightly", "1.2.3+build", "1.2.3-rc.1.2", "1.2.3-rc"] {
        let error = made(wrong, "notes", "x86_64-apple-darwin").unwrap_err();
        assert!(error.contains("PyPI has no version"), "{error}");
    }
}
