//! A program is put into a package for a known target, once.

use std::path::Path;

use super::*;

/// Returns a program for each of these targets.
pub(in crate::package) fn programs(triples: &[&str]) -> Vec<PlatformProgram> {
    let of = |triple: &&str| {
        let platform = Platform::of(triple).unwrap();
        let bytes = platform.triple.into();
        PlatformProgram { platform, bytes }
    };
    triples.iter().map(of).collect()
}

fn argument(triple: &str, file: &Path) -> Result<ProgramArgument, String> {
    format!("{triple}={}", file.display()).parse()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, String>, why: &str) {
    let error = outcome.unwrap_err();
    assert!(error.contains(why), "{error}");
}

#[test]
fn both_toolchains_of_windows_are_one_platform() {
    assert_eq!(
        Platform::of("x86_64-pc-windows-gnu"),
        Platform::of("x86_64-pc-windows-msvc")
    );
}

#[test]
fn an_argument_names_a_known_target_and_a_file() {
    let of = |text: &str| text.parse::<ProgramArgument>();
    refused(of("dist/server"), "TRIPLE=FILE");
    refused(
        of("linux-x64=dist/server"),
        "the targets are x86_64-unknown-linux-gnu, ",
    );
    refused(of("x86_64-apple-darwin="), "is missing after `=`");
    let home = tempfile::tempdir().unwrap();
    let read = |file: &Path| {
        let done = argument("x86_64-apple-darwin", file)?.read();
        done.map_err(|error| error.to_string())
    };
    let file = home.path().join("a program=1");
    fs::write(&file, "a program").unwrap();
    let taken = read(&file).unwrap();
    assert_eq!(taken.platform.label(), "darwin-x64");
    assert_eq!(taken.bytes, b"a program");
    refused(
        read(&home.path().join("missing")),
        "cannot read the program",
    );
    refused(read(home.path()), "is not a file");
}

#[test]
fn two_programs_for_one_computer_are_refused_where_nothing_chooses() {
    let of = |triples: &[&str]| {
        let programs: Vec<PlatformProgram> = triples
            .iter()
            .map(|triple| PlatformProgram {
                platform: Platform::of(triple).unwrap(),
                bytes: Vec::new(),
            })
            .collect();
        refuse_meeting(&programs).map_err(|error| error.to_string())
    };
    of(&[
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
    ])
    .unwrap();
    refused(
        of(&["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"]),
        "musl runs on every Linux",
    );
    refused(
        of(&["universal2-apple-darwin", "aarch64-apple-darwin"]),
        "every Mac",
    );
}

#[test]
fn a_target_is_given_once() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("p");
    fs::write(&file, "a program").unwrap();
    let twice = [
        argument(ALL[0].triple, &file).unwrap(),
        argument(ALL[0].triple, &file).unwrap(),
    ];
    let error = read(&twice).map_err(|error| error.to_string());
    refused(error, "two programs are given for");
}
