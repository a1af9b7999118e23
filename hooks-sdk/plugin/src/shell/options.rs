//! The options and variables whose value is a command or a folder.

/// Programs, and their options of one sense.
type Table = &'static [(&'static [&'static str], &'static [&'static str])];

/// Options whose value is code of a shell.
const CODE: Table = &[
    (
        &["su", "runuser", "script", "flock", "vagrant", "capsh"],
        &["-c", "--command"],
    ),
    (&["fish"], &["--command", "--init-command"]),
    (
        &["pwsh", "powershell"],
        &["-c", "-C", "-Command", "-command"],
    ),
    (
        &["tar", "bsdtar"],
        &[
            "-I",
            "--use-compress-program",
            "--to-command",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
        ],
    ),
    (&["rsync"], &["-e", "--rsh", "--rsync-path"]),
    (&["scp", "sftp"], &["-S"]),
    (&["nix-shell"], &["--run", "--command"]),
    (
        &["npx", "npm", "guix", "nix"],
        &["-c", "--call", "--command"],
    ),
    (&["sort"], &["--compress-program"]),
    (&["split"], &["--filter"]),
    (&["man"], &["-P", "--pager"]),
    (&["zip"], &["-TT", "--unzip-command"]),
    (&["mapfile", "readarray", "complete", "compgen"], &["-C"]),
    (&["xterm"], &["-e"]),
    (
        &["git"],
        &[
            "-x",
            "--exec",
            "--extcmd",
            "-O",
            "--open-files-in-pager",
            "--upload-pack",
            "--receive-pack",
            "--env-filter",
            "--tree-filter",
            "--index-filter",
            "--parent-filter",
            "--msg-filter",
            "--commit-filter",
            "--tag-name-filter",
        ],
    ),
];

/// Variables whose value a program runs as a command.
const VARIABLES: &[&str] = &[
    "PAGER",
    "GIT_PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "RSYNC_RSH",
    "PROMPT_COMMAND",
    "BROWSER",
    "LESSOPEN",
];

/// Options whose value is the folder of the other words.
const FOLDERS: Table = &[
    (&["tar", "bsdtar"], &["-C", "--directory"]),
    (&["make", "gmake", "ninja"], &["-C", "--directory"]),
    (&["unzip"], &["-d"]),
    (&["7z", "7za"], &["-o"]),
    (&["wget"], &["-P", "--directory-prefix"]),
    (&["curl"], &["--output-dir"]),
    (
        &["cp", "mv", "ln", "install"],
        &["-t", "--target-directory"],
    ),
];

/// Programs whose last word may be the folder of the others.
const INTO_LAST: [&str; 6] = ["cp", "mv", "ln", "install", "rsync", "scp"];

fn options_of(table: Table, name: &str) -> Vec<&'static str> {
    let rows = table.iter().filter(|(names, _)| names.contains(&name));
    rows.flat_map(|(_, options)| options.iter().copied())
        .collect()
}

/// Returns the values of these options among the words, each with its place.
fn values_of<'w>(options: &[&str], words: &[&'w str]) -> Vec<(usize, &'w str)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for option in options {
            let next = || words.get(at + 1).map(|value| (at + 1, *value));
            let value = if word == option {
                next()
            } else if option.starts_with("--") {
                let value = word.strip_prefix(option);
                value.and_then(|value| Some((at, value.strip_prefix('=')?)))
            } else if option.len() == 2 && word.starts_with('-') && !word.starts_with("--") {
                match word.strip_prefix(option) {
                    Some(value) => Some((at, value)),
                    // `-qc CODE`
                    None if word.len() <= 6 && word.ends_with(&option[1..]) => next(),
                    None => None,
                }
            } else {
                None
            };
            found.extend(value);
        }
    }
    found
}

/// Returns the values of options that are code.
pub(super) fn codes<'w>(name: &str, words: &[&'w str]) -> Vec<&'w str> {
    let options = options_of(CODE, name);
    let values = values_of(&options, words).into_iter();
    let mut found: Vec<&str> = values.map(|(_, value)| value).collect();
    for word in words {
        // `--checkpoint-action=exec=CODE` of tar, and `-o ProxyCommand=CODE` of ssh.
        for mark in ["action=exec=", "ProxyCommand=", "LocalCommand="] {
            found.extend(word.split_once(mark).map(|(_, code)| code));
        }
    }
    found
}

/// Returns the folders that the words name, into which the other words go.
pub(super) fn folders<'w>(name: &str, words: &[&'w str]) -> Vec<&'w str> {
    let options = options_of(FOLDERS, name);
    let values = values_of(&options, words).into_iter();
    let mut found: Vec<&str> = values.map(|(_, value)| value).collect();
    if INTO_LAST.contains(&name) {
        found.extend(words.last().filter(|word| !word.starts_with('-')));
    }
    found
}

/// Returns whether the last part of a word goes into a folder, and not the whole word.
pub(super) fn moves_files(name: &str) -> bool {
    INTO_LAST.contains(&name)
}

/// Returns whether a program runs the value of a variable.
pub(super) fn is_code(variable: &str) -> bool {
    VARIABLES.contains(&variable)
}
