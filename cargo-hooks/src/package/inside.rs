//! Programs inside a plugin: one, or one for each platform with a launcher that chooses.

use hooks_clients::config::quoted;

use super::{
    Contents, archive,
    folder::Files,
    format::{Format, PackageFacts},
    formats,
    parts::{Inside, PackageParts},
    programs::{self, PlatformProgram},
};
use crate::CommandError;

/// The folder of programs.
const FOLDER: &str = "bin";

impl Format {
    /// Returns how the plugin's entries start the program that it contains.
    pub(super) fn inside(&self, about: &PackageFacts<'_>, programs: &[PlatformProgram]) -> Inside {
        let file = match programs {
            [one] => one.platform.file_name(about.program),
            _ => about.program.to_owned(),
        };
        let file = format!("{FOLDER}/{file}");
        let own = &self.own_program;
        Inside {
            pattern: own.hooks.replace("FILE", &file),
            command: vec![own.server.replace("FILE", &file)],
            folder: own.folder,
        }
    }
}

/// Adds the programs to the files of a plugin, and the launcher if there are several.
pub(super) fn add(
    files: &mut Files,
    about: &PackageFacts<'_>,
    programs: &[PlatformProgram],
) -> Result<(), CommandError> {
    programs::refuse_meeting(programs)?;
    if let [one] = programs {
        let file = one.platform.file_name(about.program);
        return files.add_program(&format!("{FOLDER}/{file}"), one.bytes.clone());
    }
    let mut cases = String::new();
    for each in programs {
        let platform = each.platform;
        let Some(uname) = platform.uname() else {
            return Err(format!(
                "a plugin with several programs has a launcher for a POSIX shell, which `{}` lacks\nhelp: write a \
                 plugin of its own for Windows",
                platform.triple
            )
            .into());
        };
        let file = format!("{}-{}", about.program, platform.label());
        cases.push_str(&format!(
            "{uname}) program=${{0%/*}}/{} ;;\n",
            quoted(&file)
        ));
        files.add_program(&format!("{FOLDER}/{file}"), each.bytes.clone())?;
    }
    let program = quoted(about.program);
    // A hook that cannot run must not stop the agent's work.
    let launcher = format!(
        "#!/bin/sh\n# Starts the program of this computer.\ncase \"$(uname -sm)\" in\n{cases}*)\n  case \"$1 $2\" in \
         'hooks fire') exit 0 ;; esac\n  echo {program}': no program for this computer' >&2\n  exit 1\n  \
         ;;\nesac\nexec \"$program\" \"$@\"\n"
    );
    files.add_program(
        &format!("{FOLDER}/{}", about.program),
        launcher.into_bytes(),
    )
}

/// Makes a plugin for a folder, which is named to people, with these programs or with none.
pub(super) fn plugin(
    format: &'static Format,
    about: &PackageFacts<'_>,
    programs: &[PlatformProgram],
    folder: &str,
) -> Result<Contents, CommandError> {
    let parts = PackageParts {
        format,
        about,
        inside: (!programs.is_empty()).then(|| format.inside(about, programs)),
    };
    let mut files = parts.files()?;
    if !programs.is_empty() {
        add(&mut files, about, programs)?;
    }
    Ok(Contents {
        files,
        next: parts.loads(folder).collect(),
        notes: parts.notes()?,
    })
}

/// Makes the archives of an extension of Gemini CLI, one for each platform, as it finds them in a release.
pub(super) fn gemini(
    about: &PackageFacts<'_>,
    programs: &[PlatformProgram],
    folder: &str,
) -> Result<Contents, CommandError> {
    about.exact_version()?;
    programs::refuse_meeting(programs)?;
    let mut files = Files::default();
    let mut next = vec![format!(
        "attach the archives in {folder} to a release on GitHub, whose repository is then an extension"
    )];
    let mut notes = Vec::new();
    for each in programs {
        let own = std::slice::from_ref(each);
        let parts = PackageParts {
            format: &formats::GEMINI,
            about,
            inside: Some(formats::GEMINI.inside(about, own)),
        };
        let mut content = parts.files()?;
        add(&mut content, about, own)?;
        let name = format!("{}.{}.tar.gz", each.platform.gemini(), about.name);
        files.add(&name, archive::tar_gz(&content, "")?)?;
        if notes.is_empty() {
            notes = parts.notes()?;
            next.extend(parts.loads(folder));
        }
    }
    Ok(Contents { files, next, notes })
}

#[cfg(test)]
mod tests;
