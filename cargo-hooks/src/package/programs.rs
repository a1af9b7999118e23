//! The programs that a package contains, and the targets that they are given for.

use std::{fs, io::Read as _, path::PathBuf, str::FromStr};

use super::platform::{ALL, Platform};
use crate::CommandError;

/// The largest program, in bytes. Claude Code unpacks at most 512 MB of a package.
const LARGEST_PROGRAM: u64 = 512 << 20;

/// The argument `TRIPLE=FILE`.
#[derive(Clone, Debug)]
pub(super) struct ProgramArgument {
    platform: &'static Platform,
    file: PathBuf,
}

/// A program, and the platform that it runs on.
#[derive(Debug)]
pub(super) struct PlatformProgram {
    pub(super) platform: &'static Platform,
    pub(super) bytes: Vec<u8>,
}

impl FromStr for ProgramArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<ProgramArgument, String> {
        let (triple, file) = text.split_once('=').ok_or(
            "a program has the form TRIPLE=FILE, such as x86_64-unknown-linux-musl=dist/server",
        )?;
        let platform = Platform::of(triple).ok_or_else(|| {
            let known: Vec<&str> = ALL.iter().map(|platform| platform.triple).collect();
            format!(
                "no package format has a name for the target `{triple}`\nhelp: the targets are {}",
                known.join(", ")
            )
        })?;
        match file.is_empty() {
            true => Err(format!("the file of `{triple}` is missing after `=`")),
            false => Ok(ProgramArgument {
                platform,
                file: file.into(),
            }),
        }
    }
}

/// Reads the programs, in the order of the table.
pub(super) fn read(arguments: &[ProgramArgument]) -> Result<Vec<PlatformProgram>, CommandError> {
    let mut programs: Vec<PlatformProgram> = Vec::new();
    for argument in arguments {
        let platform = argument.platform;
        if programs.iter().any(|other| other.platform == platform) {
            return Err(format!("two programs are given for `{}`", platform.triple).into());
        }
        programs.push(argument.read()?);
    }
    programs.sort_by_key(|program| ALL.iter().position(|row| row == program.platform));
    Ok(programs)
}

/// Refuses two programs of which a computer could run both, in a format that has no word for the C library.
pub(super) fn refuse_meeting(programs: &[PlatformProgram]) -> Result<(), CommandError> {
    for (at, one) in programs.iter().enumerate() {
        let other = programs[at + 1..]
            .iter()
            .find(|other| one.platform.meets(other.platform));
        if let Some(other) = other {
            return Err(format!(
                "`{}` and `{}` are for the same computers, and this format cannot tell them apart\nhelp: give one of \
                 them: a program for musl runs on every Linux, and one for `universal2` on every Mac",
                one.platform.triple, other.platform.triple
            )
            .into());
        }
    }
    Ok(())
}

impl ProgramArgument {
    fn read(&self) -> Result<PlatformProgram, CommandError> {
        let (shown, triple) = (self.file.display(), self.platform.triple);
        let failed = |error| {
            format!(
                "cannot read the program `{shown}` for `{triple}`: {error}\nhelp: name the program that cargo built for it"
            )
        };
        let file = fs::File::open(&self.file).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            return Err(format!(
                "`{shown}` is not a file\nhelp: name the program that cargo built for `{triple}`"
            )
            .into());
        }
        let mut bytes = Vec::new();
        file.take(LARGEST_PROGRAM + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 > LARGEST_PROGRAM {
            return Err(format!(
                "`{shown}` has more than 512 MB, which clients refuse\nhelp: build it with `--release`, and set `strip \
                 = true` in the profile"
            )
            .into());
        }
        Ok(PlatformProgram {
            platform: self.platform,
            bytes,
        })
    }
}

#[cfg(test)]
pub(super) mod tests;
