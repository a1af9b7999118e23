//! `git`: its options before the subcommand, and the commands that its options and settings run.

use super::{Simple, Walk, options, paths, value::Value};

/// Options before the subcommand that take the next word as their value.
const VALUED: [&str; 8] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--attr-source",
    "--super-prefix",
];

impl Walk<'_> {
    /// Reads the words after `git`. Says the command a second time without the options before its subcommand.
    pub(super) fn git(&mut self, simple: &Simple) {
        let before = self.folder.clone();
        let mut settings = Vec::new();
        let mut rest = &simple.words[1..];
        while let Some((word, more)) = rest.split_first() {
            let text = word.text();
            if !text.starts_with('-') {
                break;
            }
            let (name, attached) = match text.split_once('=') {
                Some((name, value)) if text.starts_with("--") => (name, Some(value.to_owned())),
                _ => (text, None),
            };
            let takes = attached.is_none() && VALUED.contains(&name);
            let value = attached.or_else(|| more.first().filter(|_| takes)?.known());
            match (name, value) {
                ("-C" | "--work-tree", Some(value)) => self.enters(&value),
                ("-C" | "--work-tree", None) => self.folder = None,
                ("-c", Some(value)) => settings.push(value),
                _ => {}
            }
            rest = more.get(usize::from(takes)..).unwrap_or_default();
        }
        if rest.len() + 1 < simple.words.len() {
            self.said_as("git", rest, simple);
        }
        for setting in &settings {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            self.setting(key, value, rest, simple);
        }
        self.subcommand(rest, simple);
        self.paths_of("git", rest);
        self.folder = before;
    }

    fn subcommand(&mut self, words: &[Value], simple: &Simple) {
        let texts: Vec<&str> = words.iter().map(Value::text).collect();
        match &texts[..] {
            ["config", ..] => {
                let pairs = texts.windows(2);
                pairs.for_each(|pair| self.setting(pair[0], pair[1], &[], simple));
            }
            ["submodule", ..] => {
                let at = texts.iter().position(|word| *word == "foreach");
                let code = at.map(|at| &words[at + 1..]).unwrap_or_default();
                let options = code.iter().take_while(|word| word.text().starts_with('-'));
                let code = &code[options.count()..];
                if !code.is_empty() {
                    self.evaluated(code);
                }
            }
            ["bisect", "run", ..] => self.run(Simple {
                words: words[2..].to_vec(),
                ..Simple::default()
            }),
            _ => {}
        }
        // The transport `ext::` is a command, in which `% ` is a blank.
        for code in texts.iter().filter_map(|word| word.strip_prefix("ext::")) {
            self.text(&code.replace("% ", "\\ "));
        }
    }

    /// Reads a setting whose value git runs.
    fn setting(&mut self, key: &str, value: &str, rest: &[Value], simple: &Simple) {
        let key = key.to_ascii_lowercase();
        if let Some(name) = key.strip_prefix("alias.") {
            match value.strip_prefix('!') {
                Some(code) => self.text(code),
                None => {
                    let words = value.split_whitespace();
                    let words = words.map(|word| Value::Known(word.to_owned()));
                    let arguments = match rest.split_first() {
                        Some((first, arguments)) if first.text() == name => arguments,
                        _ => &[],
                    };
                    let words: Vec<Value> = words.chain(arguments.iter().cloned()).collect();
                    self.said_as("git", &words, simple);
                }
            }
            return;
        }
        let runs = [
            "pager",
            "editor",
            "sshcommand",
            "fsmonitor",
            "askpass",
            "external",
            "textconv",
            "cmd",
            "helper",
            "program",
            "clean",
            "smudge",
            "process",
            "uploadpack",
            "receivepack",
            "gitproxy",
            "driver",
            "command",
        ];
        let last = key.rsplit('.').next().unwrap_or_default();
        let is_pager = key.starts_with("pager.");
        if (runs.contains(&last) || is_pager) && key.contains('.') && !value.is_empty() {
            self.text(value.trim_start_matches('!'));
        }
    }

    /// Goes into a folder for the command that is read.
    pub(super) fn enters(&mut self, folder: &str) {
        self.folder = match self.folder.take() {
            Some(before) => Some(paths::absolute(folder, &before, self.home.as_deref())),
            None => Some(folder.into()).filter(|folder: &std::path::PathBuf| folder.is_absolute()),
        };
        if let Some(folder) = &self.folder {
            self.call.add_path(folder.to_string_lossy().into_owned());
        }
    }

    /// Reads the code in a program's options.
    pub(super) fn codes(&mut self, name: &str, words: &[Value]) {
        let texts: Vec<&str> = words.iter().map(Value::text).collect();
        let codes: Vec<String> = options::codes(name, &texts)
            .into_iter()
            .map(str::to_owned)
            .collect();
        for code in codes {
            let is_known = words
                .iter()
                .any(|word| word.known().is_some_and(|word| word.ends_with(&code)));
            let value = if is_known {
                Value::Known(code)
            } else {
                Value::Unknown(code)
            };
            self.evaluated(&[value]);
        }
    }
}
