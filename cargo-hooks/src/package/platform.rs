//! The targets that a package can have a program for: one row each, and the word of every package format for it.

/// A target of the compiler, and what the package formats call it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Platform {
    /// The target's name in Rust.
    pub(super) triple: &'static str,
    /// npm's `os`, which is MCPB's `platforms`, too.
    pub(super) os: &'static str,
    /// npm's `cpu`.
    pub(super) cpu: &'static [&'static str],
    /// npm's `libc`.
    pub(super) libc: Option<&'static str>,
}

const X64: &[&str] = &["x64"];
const ARM64: &[&str] = &["arm64"];

/// All targets, in the order of lists.
pub(super) static ALL: [Platform; 9] = [
    row("x86_64-unknown-linux-gnu", "linux", X64, Some("glibc")),
    row("x86_64-unknown-linux-musl", "linux", X64, Some("musl")),
    row("aarch64-unknown-linux-gnu", "linux", ARM64, Some("glibc")),
    row("aarch64-unknown-linux-musl", "linux", ARM64, Some("musl")),
    row("x86_64-apple-darwin", "darwin", X64, None),
    row("aarch64-apple-darwin", "darwin", ARM64, None),
    // Two programs in one file, as `lipo` joins them.
    row("universal2-apple-darwin", "darwin", &["x64", "arm64"], None),
    row("x86_64-pc-windows-msvc", "win32", X64, None),
    row("aarch64-pc-windows-msvc", "win32", ARM64, None),
];

const fn row(
    triple: &'static str,
    os: &'static str,
    cpu: &'static [&'static str],
    libc: Option<&'static str>,
) -> Platform {
    Platform {
        triple,
        os,
        cpu,
        libc,
    }
}

impl Platform {
    /// Returns the row of a target. Windows has two toolchains, whose programs run on the same computers.
    pub(super) fn of(triple: &str) -> Option<&'static Platform> {
        let triple = match triple {
            "x86_64-pc-windows-gnu" => "x86_64-pc-windows-msvc",
            "aarch64-pc-windows-gnullvm" => "aarch64-pc-windows-msvc",
            other => other,
        };
        ALL.iter().find(|platform| platform.triple == triple)
    }

    /// Returns the name in files and in npm's packages, such as `linux-x64-musl`.
    pub(super) fn label(&self) -> String {
        let musl = if self.is_musl() { "-musl" } else { "" };
        format!("{}{musl}", self.joined('-'))
    }

    /// Returns the beginning of a file that Gemini CLI finds in a release, such as `linux.x64`.
    pub(super) fn gemini(&self) -> String {
        self.joined('.')
    }

    /// Returns the system and the processor, if the program is for one.
    fn joined(&self, between: char) -> String {
        match self.cpu {
            [cpu] => format!("{}{between}{cpu}", self.os),
            _ => self.os.to_owned(),
        }
    }

    /// Returns what `uname -sm` answers, as a pattern of the shell. None on Windows.
    pub(super) fn uname(&self) -> Option<String> {
        let (system, arm) = match self.os {
            "linux" => ("Linux", "aarch64"),
            "darwin" => ("Darwin", "arm64"),
            _ => return None,
        };
        Some(match self.cpu {
            ["x64"] => format!("'{system} x86_64'"),
            [_] => format!("'{system} {arm}'"),
            _ => format!("'{system} '*"),
        })
    }

    /// Whether programs of both targets run on one computer, where nothing asks for the C library.
    pub(super) fn meets(&self, other: &Platform) -> bool {
        self.os == other.os && self.cpu.iter().any(|cpu| other.cpu.contains(cpu))
    }

    pub(super) fn is_musl(&self) -> bool {
        self.libc == Some("musl")
    }

    /// Returns the name of the program's file.
    pub(super) fn file_name(&self, program: &str) -> String {
        match self.os {
            "win32" => format!("{program}.exe"),
            _ => program.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_has_the_words_of_the_formats() {
        let words = ALL.iter().map(|platform| {
            let uname = platform.uname().unwrap_or_default();
            format!("{} {} {uname}", platform.label(), platform.gemini())
        });
        let expected = [
            "linux-x64 linux.x64 'Linux x86_64'",
            "linux-x64-musl linux.x64 'Linux x86_64'",
            "linux-arm64 linux.arm64 'Linux aarch64'",
            "linux-arm64-musl linux.arm64 'Linux aarch64'",
            "darwin-x64 darwin.x64 'Darwin x86_64'",
            "darwin-arm64 darwin.arm64 'Darwin arm64'",
            "darwin darwin 'Darwin '*",
            "win32-x64 win32.x64 ",
            "win32-arm64 win32.arm64 ",
        ];
        assert_eq!(words.collect::<Vec<_>>(), expected);
    }
}
