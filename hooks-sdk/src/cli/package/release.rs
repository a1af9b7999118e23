//! The formats for registries and applications, whose packages contain the program.

use clap::Args;

use super::{
    checks,
    folder::Files,
    format::PackageFacts,
    formats, inside, mcpb,
    npm::NpmPackages,
    programs::{self, PlatformProgram, ProgramArgument},
    server_json::{self, ListedPackage},
    wheel,
};
use crate::{
    cli::{CommandError, Program},
    guidance::Skill,
    server::ServerHandler,
};

/// A format for a registry or an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReleaseFormat {
    GeminiExtension,
    Mcpb,
    Npm,
    ServerJson,
    Wheel,
}

/// The arguments of these formats.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ReleaseArguments {
    /// A program to put into the package, and the target that it was built for. Can be repeated
    #[arg(long = "program", value_name = "TRIPLE=FILE")]
    programs: Vec<ProgramArgument>,
    /// The package's name in its registry, such as @acme/memory. Default: the server's name for npm, the program's for wheels
    #[arg(long)]
    name: Option<String>,
    /// A package that the MCP registry lists: npm=NAME, pypi=NAME, cargo=NAME or mcpb=FILE. Can be repeated
    #[arg(long = "package", value_name = "TYPE=NAME")]
    packages: Vec<ListedPackage>,
    /// The URL of the release that has the bundles, without a file name
    #[arg(long, value_name = "URL")]
    release: Option<String>,
}

/// What a package holds, and what its author does with it.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) files: Files,
    pub(super) next: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl ReleaseFormat {
    pub(super) const ALL: [ReleaseFormat; 5] = [
        ReleaseFormat::GeminiExtension,
        ReleaseFormat::Mcpb,
        ReleaseFormat::Npm,
        ReleaseFormat::ServerJson,
        ReleaseFormat::Wheel,
    ];

    /// Returns the name on a command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            ReleaseFormat::GeminiExtension => formats::GEMINI.name,
            ReleaseFormat::Mcpb => "mcpb",
            ReleaseFormat::Npm => "npm",
            ReleaseFormat::ServerJson => "server-json",
            ReleaseFormat::Wheel => "wheel",
        }
    }

    /// Returns what the format is, for people.
    pub(super) fn help(self) -> &'static str {
        match self {
            ReleaseFormat::GeminiExtension => {
                "Archives of an extension of Gemini CLI, one for each program"
            }
            ReleaseFormat::Mcpb => "Bundles for Claude Desktop, one for each program",
            ReleaseFormat::Npm => {
                "Packages of npm: a command that needs no Rust, and a plugin for Claude Code and OpenCode"
            }
            ReleaseFormat::ServerJson => "The file by which the MCP registry lists the server",
            ReleaseFormat::Wheel => "Wheels for PyPI, one for each program",
        }
    }

    /// Returns the arguments that the format uses. One that uses programs needs one.
    fn uses(self) -> &'static [&'static str] {
        match self {
            ReleaseFormat::GeminiExtension | ReleaseFormat::Mcpb => &["--program"],
            ReleaseFormat::Npm | ReleaseFormat::Wheel => &["--program", "--name"],
            ReleaseFormat::ServerJson => &["--package", "--release"],
        }
    }

    /// Makes the files of the package for a folder, which is named to people.
    pub(super) fn contents<H: ServerHandler>(
        self,
        program: &Program<H>,
        about: &PackageFacts<'_>,
        skills: &[Skill],
        arguments: &ReleaseArguments,
        folder: &str,
    ) -> Result<Contents, CommandError> {
        arguments.refuse_but(self.name(), self.uses())?;
        if self.uses().contains(&"--program") && arguments.programs.is_empty() {
            return Err(format!(
                "the format `{}` needs a program\nhelp: add `--program TRIPLE=FILE` for each target",
                self.name()
            )
            .into());
        }
        let programs = arguments.programs()?;
        match self {
            ReleaseFormat::GeminiExtension => {
                inside::gemini(program, about, skills, &programs, folder)
            }
            ReleaseFormat::Mcpb => mcpb::contents(about, &programs, folder),
            ReleaseFormat::Npm => {
                let name = arguments.name.as_deref().unwrap_or(about.name);
                let packages = NpmPackages {
                    about,
                    skills,
                    name: &checks::npm_name(name)?,
                    programs: &programs,
                };
                packages.contents(program, folder)
            }
            ReleaseFormat::Wheel => {
                let name = arguments.name.as_deref().unwrap_or(about.program);
                wheel::contents(about, &server_json::plain(name)?, &programs, folder)
            }
            ReleaseFormat::ServerJson => server_json::contents(
                about,
                &arguments.packages,
                arguments.release.as_deref(),
                folder,
            ),
        }
    }
}

impl ReleaseArguments {
    /// Reads the programs.
    pub(super) fn programs(&self) -> Result<Vec<PlatformProgram>, CommandError> {
        programs::read(&self.programs)
    }

    /// Refuses arguments that the format would ignore.
    pub(super) fn refuse_but(&self, format: &str, used: &[&str]) -> Result<(), CommandError> {
        let given = [
            ("--program", !self.programs.is_empty()),
            ("--name", self.name.is_some()),
            ("--package", !self.packages.is_empty()),
            ("--release", self.release.is_some()),
        ];
        let unused = given
            .iter()
            .find(|(name, given)| *given && !used.contains(name));
        match unused {
            Some((name, _)) => Err(format!(
                "the format `{format}` does not use `{name}`\nhelp: leave it out, or take another format"
            )
            .into()),
            None => Ok(()),
        }
    }
}
