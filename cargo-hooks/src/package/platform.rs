//! The targets that a package can have a program for: one row each, with the word of every package format.

/// A target of the compiler, and what the package formats call it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Platform {
    /// The target's name in Rust.
    pub(super) triple: &'static str,
    /// The name in files and in npm's packages.
    pub(super) label: &'static str,
    /// npm's `os`, which is MCPB's `platforms`, too.
    pub(super) os: &'static str,
    /// npm's `cpu`.
    pub(super) cpu: &'static [&'static str],
    /// npm's `libc`.
    pub(super) libc: Option<&'static str>,
    /// The beginning of a file that Gemini CLI finds in a release.
    pub(super) gemini: &'static str,
    /// What `uname -sm` answers, as a pattern of the shell. None on Windows.
    pub(super) uname: Option<&'static str>,
}

/// All targets, in the order of lists.
pub(super) static ALL: [Platform; 9] = [
    Platform {
        triple: "x86_64-unknown-linux-gnu",
        label: "linux-x64",
        os: "linux",
        cpu: &["x64"],
        libc: Some("glibc"),
        gemini: "linux.x64",
        uname: Some("'Linux x86_64'"),
    },
    Platform {
        triple: "x86_64-unknown-linux-musl",
        label: "linux-x64-musl",
        os: "linux",
        cpu: &["x64"],
        libc: Some("musl"),
        gemini: "linux.x64",
        uname: Some("'Linux x86_64'"),
    },
    Platform {
        triple: "aarch64-unknown-linux-gnu",
        label: "linux-arm64",
        os: "linux",
        cpu: &["arm64"],
        libc: Some("glibc"),
        gemini: "linux.arm64",
        uname: Some("'Linux aarch64'"),
    },
    Platform {
        triple: "aarch64-unknown-linux-musl",
        label: "linux-arm64-musl",
        os: "linux",
        cpu: &["arm64"],
        libc: Some("musl"),
        gemini: "linux.arm64",
        uname: Some("'Linux aarch64'"),
    },
    Platform {
        triple: "x86_64-apple-darwin",
        label: "darwin-x64",
        os: "darwin",
        cpu: &["x64"],
        libc: None,
        gemini: "darwin.x64",
        uname: Some("'Darwin x86_64'"),
    },
    Platform {
        triple: "aarch64-apple-darwin",
        label: "darwin-arm64",
        os: "darwin",
        cpu: &["arm64"],
        libc: None,
        gemini: "darwin.arm64",
        uname: Some("'Darwin arm64'"),
    },
    // Two programs in one file, as `lipo` joins them.
    Platform {
        triple: "universal2-apple-darwin",
        label: "darwin",
        os: "darwin",
        cpu: &["x64", "arm64"],
        libc: None,
        gemini: "darwin",
        uname: Some("'Darwin '*"),
    },
    Platform {
        triple: "x86_64-pc-windows-msvc",
        label: "win32-x64",
        os: "win32",
        cpu: &["x64"],
        libc: None,
        gemini: "win32.x64",
        uname: None,
    },
    Platform {
        triple: "aarch64-pc-windows-msvc",
        label: "win32-arm64",
        os: "win32",
        cpu: &["arm64"],
        libc: None,
        gemini: "win32.arm64",
        uname: None,
    },
];

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
