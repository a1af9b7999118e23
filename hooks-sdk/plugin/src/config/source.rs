//! The bytes of a configuration file, and the values in it.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use super::{
    ConfigurationErrors,
    fault::Faults,
    node::{Node, NodeValue},
    yaml,
};

/// The largest configuration file, in bytes (1 MiB).
pub const MAX_CONFIGURATION: usize = 1 << 20;

/// Returns the text of a file.
pub(super) fn read(file: &Path) -> Result<String, ConfigurationErrors> {
    let mut faults = Faults::new(file);
    match bytes(file) {
        Ok(bytes) if bytes.len() > MAX_CONFIGURATION => {
            let message = "the file is larger than 1 MiB";
            faults.add(
                0,
                message,
                "keep data out of it, and name where the data is",
            );
        }
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => return Ok(text),
            Err(wrong) => {
                let valid = wrong.utf8_error().valid_up_to();
                let before = &wrong.as_bytes()[..valid];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                faults.add(line, "the file is not UTF-8", "save it as UTF-8");
            }
        },
        Err(error) => {
            let message = format!("the file cannot be read: {error}");
            faults.add(0, message, "name a file that this program may read");
        }
    }
    match faults.check() {
        Err(wrong) => Err(wrong),
        Ok(()) => Ok(String::new()),
    }
}

fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = MAX_CONFIGURATION as u64 + 1;
    File::open(file)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the text. The name of the file says that it is YAML.
pub(super) fn parsed(file: &Path, text: &str, faults: &mut Faults) -> Option<Node> {
    if text.len() > MAX_CONFIGURATION {
        let message = "the file is larger than 1 MiB";
        faults.add(
            0,
            message,
            "keep data out of it, and name where the data is",
        );
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let node = match file.extension().and_then(|extension| extension.to_str()) {
        Some("yaml" | "yml") => yaml::read(text, faults)?,
        _ => {
            let message = "the file's name does not say what it is written in";
            faults.add(
                0,
                message,
                "write it in YAML, and end its name in `.yaml` or `.yml`",
            );
            return None;
        }
    };
    // A file that is just being written can be empty for a moment, and that must not switch every rule off.
    let is_empty = match &node.value {
        NodeValue::Scalar(value) => value.is_null(),
        NodeValue::Table(members) => members.is_empty(),
        NodeValue::List(_) => false,
    };
    if is_empty {
        let help = "write `plugins: []` for a file without plugins";
        faults.add(1, "the file says nothing", help);
        return None;
    }
    Some(node)
}
