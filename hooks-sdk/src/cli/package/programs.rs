//! The programs that a package contains, checked against the targets that they are given for.

use std::{fs, io::Read as _, path::PathBuf, str::FromStr};

use super::platform::{ALL, Executable, Platform};
use crate::cli::CommandError;

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

/// Reads the programs, in the order of the table. Each must be a program for its target.
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
        check(self.platform, &bytes)
            .map_err(|why| format!("`{shown}` is not a program for `{triple}`: {why}"))?;
        Ok(PlatformProgram {
            platform: self.platform,
            bytes,
        })
    }
}

/// Checks a program's first bytes: another target's program would fail on the computer of each user.
fn check(platform: &Platform, bytes: &[u8]) -> Result<(), String> {
    let other = || Err("its file is for another system or processor".to_owned());
    match platform.executable {
        Executable::Elf(machine) => {
            let is_elf = bytes.starts_with(b"\x7fELF\x02\x01");
            if !is_elf || number(bytes, 18, 2) != Some(machine.into()) {
                return other();
            }
            let is_dynamic = interpreter(bytes);
            match is_dynamic && platform.is_musl() {
                true => Err("it needs a loader of the system\nhelp: build it without `-C target-feature=-crt-static`".to_owned()),
                false => Ok(()),
            }
        }
        Executable::MachO(processor) => {
            let is_it = bytes.starts_with(b"\xcf\xfa\xed\xfe")
                && number(bytes, 4, 4) == Some(processor.into());
            if is_it { Ok(()) } else { other() }
        }
        Executable::MachOFat(processors) => {
            let word =
                |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
            let count = word(4).filter(|_| bytes.starts_with(b"\xca\xfe\xba\xbe"));
            // A class of Java begins alike, and has a larger number here.
            let count = count.filter(|count| *count <= 8).unwrap_or(0) as usize;
            let found: Vec<u32> = (0..count).filter_map(|at| word(8 + 20 * at)).collect();
            match processors.iter().all(|processor| found.contains(processor)) {
                true => Ok(()),
                false => Err("it does not hold programs for both processors\nhelp: join them with `lipo -create`".to_owned()),
            }
        }
        Executable::Pe(machine) => {
            let header = number(bytes, 0x3c, 4).filter(|_| bytes.starts_with(b"MZ"));
            let header = header.and_then(|at| usize::try_from(at).ok());
            let is_it = header.is_some_and(|at| {
                bytes
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with(b"PE\0\0"))
                    && number(bytes, at + 4, 2) == Some(machine.into())
            });
            if is_it { Ok(()) } else { other() }
        }
    }
}

/// Reads a little-endian number of a few bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
    )
}

/// Whether an ELF program names a loader, as each one does that is linked with the C library of the system.
fn interpreter(elf: &[u8]) -> bool {
    const INTERPRETER: u64 = 3;
    let header = || {
        let first = usize::try_from(number(elf, 32, 8)?).ok()?;
        let (size, count) = (number(elf, 54, 2)?, number(elf, 56, 2)?);
        Some((
            first,
            usize::try_from(size).ok()?,
            usize::try_from(count).ok()?,
        ))
    };
    let Some((first, size, count)) = header() else {
        return false;
    };
    let mut parts = (0..count).filter_map(|at| first.checked_add(at * size));
    parts.any(|at| number(elf, at, 4) == Some(INTERPRETER))
}

impl PlatformProgram {
    /// Returns which computers cannot run the program although they are of its platform.
    pub(super) fn note(&self) -> Option<String> {
        let minor = self.glibc()?;
        let triple = self.platform.triple;
        Some(format!(
            "the program for `{triple}` needs glibc 2.{minor} or newer: one for musl runs on every Linux"
        ))
    }

    /// Returns the minor version of glibc 2 that the program asks for, by the names of its symbols' versions.
    pub(super) fn glibc(&self) -> Option<u32> {
        const VERSION: &[u8] = b"GLIBC_2.";
        if self.platform.libc != Some("glibc") {
            return None;
        }
        let found = memchr::memmem::find_iter(&self.bytes, VERSION);
        let minor = |at: usize| {
            let digits = self.bytes[at + VERSION.len()..].iter();
            let digits: String = digits
                .take_while(|byte| byte.is_ascii_digit())
                .take(4)
                .map(|byte| char::from(*byte))
                .collect();
            digits.parse::<u32>().ok()
        };
        found.filter_map(minor).max()
    }
}

#[cfg(test)]
pub(super) mod tests;
