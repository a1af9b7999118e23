//! The programs of this computer.

use std::{
    env,
    path::{Path, PathBuf},
};

/// Returns where a program is: at its path, or, without a folder, on the PATH. `None` if it does not exist.
pub fn find_program(program: impl AsRef<Path>) -> Option<PathBuf> {
    let program = program.as_ref();
    if program.components().count() > 1 {
        return Some(program.to_owned()).filter(|path| path.is_file());
    }
    let folders = env::var_os("PATH")?;
    let mut all = env::split_paths(&folders).map(|folder| folder.join(program));
    all.find(|path| path.is_file())
}
