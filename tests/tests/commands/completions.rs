//! `notebook hooks completions`: what bash completes.

use std::{fs, process::Command};

use crate::user::User;

#[test]
fn bash_completes_the_commands_of_the_program_and_those_about_hooks() {
    let user = User::new();
    let script = user.home().join("completions");
    fs::write(&script, user.said(&["hooks", "completions", "bash"])).unwrap();
    let complete = |words: &[&str]| {
        // What bash does at the Tab key.
        let asks = "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); cur=${*: -1} prev=${*: -2:1}\n\
                    entry=$(complete -p notebook); entry=${entry#*-F }\n\
                    ${entry%% *} notebook \"$cur\" \"$prev\"; echo \"${COMPREPLY[@]}\"";
        let mut bash = Command::new("bash");
        bash.args(["-c", asks])
            .arg(&script)
            .arg("notebook")
            .args(words);
        let output = bash.output().unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?}"
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    };
    for (words, expected) in [
        (&["ser"][..], "serve"),
        (&["serve", "--ht"], "--http"),
        (&["hooks", "inst"], "install"),
        (&["hooks", "install", "--no"], "--no-server"),
        (&["hooks", "doctor", "--client", "cl"], "claude-code cline"),
        (&["hooks", "log", "sh"], "show"),
        (&["hooks", "policy", "check", "--answer", "ca"], "cancel"),
    ] {
        assert_eq!(complete(words), expected, "{words:?}");
    }
}
