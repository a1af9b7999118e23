//! Programs that answer, fail, hang, and keep their pipes open.

use std::{fs, os::unix::fs::PermissionsExt};

use super::*;
use crate::cli::tests::put_script;

#[test]
fn a_long_output_is_read_whole() {
    for length in [1, 1_000_000] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "head -c \"$0\" /dev/zero", &length.to_string()]);
        let output = run(shell, NO_EVENT, PATIENCE);
        assert_eq!(output.map(|output| output.len()), Ok(length));
    }
}

#[test]
fn a_command_that_fails_has_its_last_errors() {
    let line = "seq 1 20 >&2; exit 3".to_owned();
    let client = crate::clients::by_name("codex").unwrap();
    let wrong = answers(client, [&line].into_iter()).unwrap_err();
    let lines: Vec<String> = (11..=20).map(|number| format!("\n    {number}")).collect();
    let wanted = format!("it ended with exit status: 3: {line}{}", lines.concat());
    assert_eq!(wrong, wanted);
    // Another process keeps the pipe open, and what was said before is there.
    let line = "echo why >&2; sleep 60 >&2 & exit 3".to_owned();
    let begun = Instant::now();
    let wrong = answers(client, [&line].into_iter()).unwrap_err();
    assert!(wrong.ends_with("\n    why"), "{wrong}");
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn a_server_is_asked_and_need_not_end() {
    let shell = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        shell
    };
    let (short, long) = (Duration::from_secs(1), Duration::from_secs(60));
    for (script, patience, wanted) in [
        (
            "read line; echo noise; echo '{\"id\":0,\"result\":{}}'; exec sleep 60",
            long,
            Ok("answers in "),
        ),
        (
            "echo '{\"id\":0,\"error\":{\"code\":1}}'",
            long,
            Err("it refuses the handshake: {\"code\":1}"),
        ),
        (
            "echo why >&2",
            long,
            Err("it ended without an answer\n    why"),
        ),
        (
            "echo why >&2; exit 3",
            long,
            Err("it ended with exit status: 3\n    why"),
        ),
        (
            "echo why >&2; exec sleep 60",
            short,
            Err("it does not answer `initialize` within 1 s\n    why"),
        ),
    ] {
        let begun = Instant::now();
        match (serves(shell(script), patience), wanted) {
            (Ok(found), Ok(wanted)) => assert!(found.starts_with(wanted), "{found}"),
            (found, wanted) => assert_eq!(found, wanted.map(str::to_owned).map_err(str::to_owned)),
        }
        assert!(begun.elapsed() < long / 2, "{script}");
    }
}

#[test]
fn a_program_that_does_not_list_is_named_within_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("notes");
    let (short, long) = (Duration::from_millis(100), Duration::from_secs(60));
    for (script, mode, patience, wrong) in [
        (
            "#!/bin/sh\nseq 1 40000; test \"$*\" = 'hooks list'",
            0o755,
            long,
            "",
        ),
        (
            "#!/bin/sh\nexit 3",
            0o755,
            long,
            "it ended with exit status: 3",
        ),
        (
            "#!/bin/sh\nkill -9 $$",
            0o755,
            long,
            "it ended with signal: 9",
        ),
        (
            "#!/bin/sh\nexec sleep 600",
            0o755,
            short,
            "it did not end within 0.1 s",
        ),
        ("", 0o644, long, "ermission denied"),
        ("\u{7f}ELF", 0o755, long, "xec format error"),
    ] {
        put_script(&program, script);
        fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
        let begun = Instant::now();
        let answer = lists(&program, patience);
        assert!(begun.elapsed() < 2 * long, "{script}");
        match answer {
            Ok(()) => assert_eq!(wrong, "", "{script}"),
            Err(found) => {
                assert!(
                    !wrong.is_empty() && found.contains(wrong),
                    "{script}: {found}"
                );
            }
        }
    }
}
