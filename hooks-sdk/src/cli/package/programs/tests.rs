//! A program is put into a package only if it is one for its target.

use std::path::Path;

use super::*;

/// Returns a program without a loader for each of these targets.
pub(in crate::cli::package) fn programs(triples: &[&str]) -> Vec<PlatformProgram> {
    let of = |triple: &&str| {
        let platform = Platform::of(triple).unwrap();
        let bytes = program(platform, false);
        PlatformProgram { platform, bytes }
    };
    triples.iter().map(of).collect()
}

/// Returns the beginning of a program for a target, with a loader if `is_dynamic`.
pub(in crate::cli::package) fn program(platform: &Platform, is_dynamic: bool) -> Vec<u8> {
    match platform.executable {
        Executable::Elf(machine) => {
            let mut elf = vec![0; 64];
            elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
            elf[18..20].copy_from_slice(&machine.to_le_bytes());
            elf[32] = 64;
            elf[54] = 56;
            elf[56] = 2;
            let mut part = vec![0; 56];
            part[0] = 1;
            elf.extend(&part);
            part[0] = if is_dynamic { 3 } else { 2 };
            elf.extend(&part);
            elf
        }
        Executable::MachO(processor) => {
            let mut file = b"\xcf\xfa\xed\xfe".to_vec();
            file.extend(processor.to_le_bytes());
            file
        }
        Executable::MachOFat(processors) => {
            let mut file = b"\xca\xfe\xba\xbe\0\0\0\x02".to_vec();
            for processor in processors {
                file.extend(processor.to_be_bytes());
                file.extend([0; 16]);
            }
            file
        }
        Executable::Pe(machine) => {
            let mut file = vec![0; 0x80];
            file[..2].copy_from_slice(b"MZ");
            file[0x3c] = 0x80;
            file.extend(b"PE\0\0");
            file.extend(machine.to_le_bytes());
            file
        }
    }
}

fn argument(triple: &str, file: &Path) -> Result<ProgramArgument, String> {
    format!("{triple}={}", file.display()).parse()
}

fn read_one(triple: &str, bytes: &[u8]) -> Result<PlatformProgram, String> {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("a program=1");
    fs::write(&file, bytes).unwrap();
    let done = argument(triple, &file)?.read();
    done.map_err(|error| error.to_string())
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, String>, why: &str) {
    let error = outcome.unwrap_err();
    assert!(error.contains(why), "{error}");
}

#[test]
fn each_target_takes_its_own_programs_only() {
    for platform in &ALL {
        let own = program(platform, false);
        let taken = read_one(platform.triple, &own).unwrap();
        assert_eq!((taken.platform, taken.bytes), (platform, own));
        for other in ALL
            .iter()
            .filter(|other| other.executable != platform.executable)
        {
            let error = read_one(platform.triple, &program(other, false)).unwrap_err();
            assert!(error.contains("is not a program for"), "{error}");
        }
        for broken in [
            &b""[..],
            b"#!/bin/sh\n",
            b"\x7fELF",
            b"MZ",
            b"\xca\xfe\xba\xbe\0\0\0\xff",
        ] {
            refused(read_one(platform.triple, broken), "is not a program for");
        }
    }
}

#[test]
fn a_program_for_musl_needs_no_loader() {
    let musl = Platform::of("x86_64-unknown-linux-musl").unwrap();
    refused(read_one(musl.triple, &program(musl, true)), "-crt-static");
    read_one("x86_64-unknown-linux-gnu", &program(musl, true)).unwrap();
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
        let done = argument("x86_64-apple-darwin", file).unwrap().read();
        done.map_err(|error| error.to_string())
    };
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
    fs::write(&file, program(&ALL[0], false)).unwrap();
    let twice = [
        argument(ALL[0].triple, &file).unwrap(),
        argument(ALL[0].triple, &file).unwrap(),
    ];
    let error = read(&twice).map_err(|error| error.to_string());
    refused(error, "two programs are given for");
}

#[test]
fn the_version_of_glibc_is_the_highest_that_is_named() {
    let of = |triple, text: &[u8]| {
        PlatformProgram {
            platform: Platform::of(triple).unwrap(),
            bytes: text.to_vec(),
        }
        .glibc()
    };
    let text = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.17\0GLIBC_2.\0";
    assert_eq!(of("x86_64-unknown-linux-gnu", text), Some(34));
    assert_eq!(of("x86_64-unknown-linux-gnu", b"none"), None);
    assert_eq!(of("x86_64-unknown-linux-musl", text), None);
}
