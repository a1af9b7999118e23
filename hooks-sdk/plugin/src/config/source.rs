//! The bytes of a configuration file, and the values in it.

use std::{fs::File, io::Read, path::Path};

use serde_json::Value;

use super::{
    ConfigurationErrors,
    fault::Faults,
    node::{Node, NodeValue},
    yaml,
};

/// The largest configuration file, in bytes (1 MiB).
pub const MAX_CONFIGURATION: usize = 1 << 20;

const TOO_LARGE: (&str, &str) = (
    "the file is larger than 1 MiB",
    "keep data out of it, and name where the data is",
);

/// Returns the text of a file.
pub(super) fn read(file: &Path) -> Result<String, ConfigurationErrors> {
    let wrong = |line, message: String, help| {
        let mut faults = Faults::new(file);
        faults.add(line, message, help);
        faults.all()
    };
    let mut bytes = Vec::new();
    let most = MAX_CONFIGURATION as u64 + 1;
    let opened = File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes));
    if let Err(error) = opened {
        let message = format!("the file cannot be read: {error}");
        return Err(wrong(0, message, "name a file that this program may read"));
    }
    if bytes.len() > MAX_CONFIGURATION {
        return Err(wrong(0, TOO_LARGE.0.to_owned(), TOO_LARGE.1));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..valid];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        wrong(line, "the file is not UTF-8".to_owned(), "save it as UTF-8")
    })
}

/// Reads the text. The name of the file says that it is YAML.
pub(super) fn parsed(file: &Path, text: &str, faults: &mut Faults) -> Option<Node> {
    if text.len() > MAX_CONFIGURATION {
        faults.add(0, TOO_LARGE.0, TOO_LARGE.1);
        return None;
    }
    let extension = file.extension().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("yaml" | "yml")) {
        let message = "the file's name does not say what it is written in";
        let help = "write it in YAML, and end its name in `.yaml` or `.yml`";
        faults.add(0, message, help);
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let node = yaml::read(text, faults)?;
    // A file that is just being written can be empty for a moment, and that must not switch every rule off.
    if node.is_empty() || node.value == NodeValue::Scalar(Value::Null) {
        let help = "write `plugins: []` for a file without plugins";
        faults.add(1, "the file says nothing", help);
        return None;
    }
    Some(node)
}
