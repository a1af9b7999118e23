//! The programs that run a command of their arguments: where it begins, and which options have code.

/// A program that runs the command in its arguments.
pub(super) struct Runner {
    names: &'static [&'static str],
    /// The letters of the options that take a value.
    letters: &'static str,
    /// The long options that take a value.
    long: &'static [&'static str],
    /// The number of plain arguments before the command.
    pub(super) plain: usize,
}

const fn runner(
    names: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
    plain: usize,
) -> Runner {
    Runner {
        names,
        letters,
        long,
        plain,
    }
}

const RUNNERS: &[Runner] = &[
    runner(
        &["sudo"],
        "ugphCrtTURDac",
        &[
            "--user",
            "--group",
            "--prompt",
            "--host",
            "--chdir",
            "--chroot",
            "--role",
            "--type",
            "--close-from",
            "--other-user",
            "--command-timeout",
        ],
        0,
    ),
    runner(&["doas"], "uCa", &[], 0),
    runner(&["pkexec"], "", &["--user"], 0),
    runner(&["run0"], "uDg", &["--user", "--group", "--chdir"], 0),
    runner(&["runuser"], "ugGws", &["--user", "--group"], 0),
    runner(
        &["env"],
        "uCS",
        &["--unset", "--chdir", "--split-string"],
        0,
    ),
    runner(&["nice"], "n", &["--adjustment"], 0),
    runner(&["ionice"], "cnpPu", &["--class", "--classdata"], 0),
    runner(&["time"], "fo", &["--format", "--output"], 0),
    runner(&["timeout"], "ks", &["--signal", "--kill-after"], 1),
    runner(&["stdbuf"], "ioe", &["--input", "--output", "--error"], 0),
    runner(&["exec"], "a", &[], 0),
    runner(
        &["xargs"],
        "IndLPsaE",
        &[
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--max-chars",
            "--delimiter",
            "--arg-file",
        ],
        0,
    ),
    runner(
        &["parallel"],
        "jINna",
        &["--jobs", "--arg-file", "--max-args"],
        0,
    ),
    runner(&["watch"], "n", &["--interval"], 0),
    runner(&["chroot"], "", &["--userspec", "--groups"], 1),
    runner(
        &["flock"],
        "wE",
        &["--timeout", "--wait", "--conflict-exit-code"],
        1,
    ),
    runner(
        &["strace", "ltrace"],
        "oepEsaIOPSuXnbF",
        &["--output", "--trace"],
        0,
    ),
    runner(
        &["unshare", "nsenter"],
        "tRSGwW",
        &["--target", "--root", "--wd", "--setuid", "--setgid"],
        0,
    ),
    runner(
        &["setpriv"],
        "",
        &[
            "--reuid",
            "--regid",
            "--groups",
            "--inh-caps",
            "--ambient-caps",
            "--bounding-set",
        ],
        0,
    ),
    runner(
        &[
            "taskset",
            "chrt",
            "setarch",
            "faketime",
            "gosu",
            "su-exec",
            "setuidgid",
            "s6-setuidgid",
            "envdir",
        ],
        "",
        &[],
        1,
    ),
    runner(
        &["numactl", "cgexec"],
        "NmCpg",
        &["--cpunodebind", "--membind", "--physcpubind"],
        0,
    ),
    runner(&["ssh"], "BbcDEeFIiJLlmOoPpQRSWw", &[], 1),
    runner(&["caffeinate"], "tw", &[], 0),
    runner(&["chpst"], "uUbPemdoplfc/", &[], 0),
    runner(&["proxychains", "proxychains4"], "f", &[], 0),
    runner(
        &["hyperfine"],
        "wmMrpcsSn",
        &[
            "--warmup",
            "--prepare",
            "--cleanup",
            "--setup",
            "--shell",
            "--runs",
        ],
        0,
    ),
    runner(
        &[
            "nohup",
            "setsid",
            "command",
            "builtin",
            "busybox",
            "toybox",
            "unbuffer",
            "linux32",
            "linux64",
            "prlimit",
            "valgrind",
            "chronic",
            "fakeroot",
            "eatmydata",
            "torsocks",
            "torify",
            "catchsegv",
            "rlwrap",
            "softlimit",
            "tini",
            "dumb-init",
            "catatonit",
            "dbus-run-session",
            "xvfb-run",
            "ssh-agent",
            "entr",
            "retry",
            "ld.so",
        ],
        "",
        &[],
        0,
    ),
];

/// Programs that run a command elsewhere or with many options of their own: each word behind one of these words may begin
/// the command.
const LOOSE: &[(&[&str], &[&str])] = &[
    (
        &[
            "docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "incus",
        ],
        &["run", "exec", "debug"],
    ),
    (&["npm", "pnpm", "yarn", "bun"], &["exec", "x", "dlx"]),
    (
        &[
            "uv",
            "poetry",
            "pipenv",
            "pipx",
            "conda",
            "mamba",
            "micromamba",
            "rye",
            "hatch",
            "pdm",
            "flatpak",
            "op",
            "doppler",
            "volta",
        ],
        &["run"],
    ),
    (
        &[
            "tox",
            "bundle",
            "rbenv",
            "pyenv",
            "nvm",
            "asdf",
            "mise",
            "direnv",
            "aws-vault",
        ],
        &["exec", "x"],
    ),
    (&["nix"], &["run", "shell", "develop"]),
    (&["guix"], &["shell", "environment"]),
    (&["perf"], &["stat", "record", "trace"]),
    (
        &["tmux"],
        &[
            "new",
            "new-session",
            "neww",
            "new-window",
            "splitw",
            "split-window",
            "send",
            "send-keys",
            "run",
            "run-shell",
        ],
    ),
    (
        &[
            "npx",
            "bunx",
            "uvx",
            "wsl",
            "adb",
            "bwrap",
            "firejail",
            "proot",
            "systemd-run",
            "screen",
            "dtach",
            "dotenv",
            "start-stop-daemon",
            "daemonize",
            "gdb",
        ],
        &[],
    ),
];

/// What an option is.
pub(super) enum Opt<'w> {
    /// It has no value, or the value is in the word.
    Alone,
    /// The next word is its value.
    TakesNext(String),
    /// It has this value.
    With(String, &'w str),
}

impl Runner {
    pub(super) fn of(name: &str) -> Option<&'static Runner> {
        RUNNERS.iter().find(|runner| runner.names.contains(&name))
    }

    /// Reads a word that begins with `-`.
    pub(super) fn option<'w>(&self, word: &'w str) -> Opt<'w> {
        if word.starts_with("--") {
            return match word.split_once('=') {
                Some((name, value)) => Opt::With(name.to_owned(), value),
                None if self.long.contains(&word) => Opt::TakesNext(word.to_owned()),
                None => Opt::Alone,
            };
        }
        for (at, letter) in word.char_indices().skip(1) {
            if !self.letters.contains(letter) {
                continue;
            }
            let name = format!("-{letter}");
            return match &word[at + letter.len_utf8()..] {
                "" => Opt::TakesNext(name),
                value => Opt::With(name, value),
            };
        }
        Opt::Alone
    }
}

/// Returns the place of the first word that may begin the command of a program of [`LOOSE`].
pub(super) fn loose(name: &str, words: &[&str]) -> Option<usize> {
    let (_, subcommands) = LOOSE.iter().find(|(names, _)| names.contains(&name))?;
    if subcommands.is_empty() {
        return Some(0);
    }
    let at = words.iter().position(|word| subcommands.contains(word))?;
    Some(at + 1)
}

/// Returns whether the commands of a program of [`LOOSE`] run on another computer or in a container.
pub(super) fn is_elsewhere(name: &str) -> bool {
    LOOSE[0].0.contains(&name) || ["wsl", "adb", "vagrant"].contains(&name)
}
