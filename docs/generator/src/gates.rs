//! Which calls a gate stops in each client: the program `deep` of the tests tries them, and `docs/generator/gates.json` keeps them.

use std::{error::Error, fs};

use hooks_sdk::clients::{Client, GateTrial, Gates, by_name};
use serde_json::Value;

use crate::{clients::table, root};

/// What was seen of one client.
struct Proven {
    client: &'static Client,
    version: String,
    date: String,
    mode: String,
    cells: Value,
}

fn proven() -> Result<Vec<Proven>, Box<dyn Error>> {
    let text = fs::read_to_string(root().join("docs/generator/gates.json"))?;
    let all: Vec<Value> = serde_json::from_str(&text)?;
    let text = |value: &Value, member: &str| {
        let text = value[member].as_str().map(str::to_owned);
        text.ok_or_else(|| format!("`{member}` is missing in gates.json"))
    };
    let one = |each: &Value| -> Result<Proven, Box<dyn Error>> {
        Ok(Proven {
            client: by_name(&text(each, "client")?).ok_or("an unknown client in gates.json")?,
            version: text(each, "version")?,
            date: text(each, "date")?,
            mode: text(each, "gate_mode")?,
            cells: each["gates"].clone(),
        })
    };
    all.iter().map(one).collect()
}

impl Proven {
    fn cell(&self, trial: GateTrial) -> Option<&Value> {
        let mut cells = self.cells.as_array()?.iter();
        cells.find(|cell| cell["trial"] == trial.as_str())
    }

    fn word(&self, trial: GateTrial) -> &'static str {
        let Some(cell) = self.cell(trial) else {
            return "not run";
        };
        match (&cell["ran"], &cell["control"], &cell["asked"]) {
            (Value::Bool(true), ..) => "**ran**",
            (_, Value::Bool(false), _) => "no tool",
            _ => "stopped",
        }
    }
}

/// Returns the text of a table, with a row for each trial.
fn matrix(all: &[Proven]) -> String {
    let heads: Vec<&str> = ["call"]
        .into_iter()
        .chain(all.iter().map(|each| each.client.title))
        .collect();
    let rows = GateTrial::ALL.iter().map(|trial| {
        let words = all.iter().map(|each| each.word(*trial).to_owned());
        [trial.title().to_owned()]
            .into_iter()
            .chain(words)
            .collect()
    });
    table(&heads, rows)
}

fn versions(all: &[Proven]) -> String {
    let rows = all.iter().map(|each| {
        vec![
            each.client.title.to_owned(),
            each.version.clone(),
            each.date.clone(),
            each.mode.clone(),
        ]
    });
    table(&["client", "version", "date", "mode"], rows)
}

fn sentences(all: &[Proven], of: fn(&Gates) -> &'static [(GateTrial, &'static str)]) -> String {
    let sentences = all.iter().flat_map(|each| {
        let gates = each.client.gates.as_ref();
        let named = gates.map_or(&[][..], of).iter();
        named.map(|(trial, sentence)| {
            format!("- {}, {}: {sentence}\n", each.client.title, trial.title())
        })
    });
    sentences.collect()
}

pub(crate) fn page() -> Result<String, Box<dyn Error>> {
    let all = proven()?;
    Ok(format!(
        "# Proven gates\n\nThe calls that a gate is asked about, in each client. Each cell has two calls: the gate lets the \
         first one run, and refuses the second one. Each call leaves a mark: a file, a changed line, a fetched page, or a \
         secret in the next request to the model. [Gates](../gates.md) explains the words.\n\n\
         - *stopped*: the first call left its mark, and the second one did not. A missing program has no first call.\n\
         - *no tool*: the client has no tool for this call, as the list below shows.\n\
         - ***ran***: the second call left its mark. The client's row in the table names it.\n\n\
         {}\n## Versions and modes\n\nEach client ran in its most permissive mode.\n\n{}\n## Calls that run\n\n{}\n\
         ## Calls without a tool\n\n{}",
        matrix(&all),
        versions(&all),
        sentences(&all, |gates| gates.open),
        sentences(&all, |gates| gates.without_tool)
    ))
}

#[cfg(test)]
mod tests {
    use hooks_sdk::clients::ALL;

    use super::*;

    #[test]
    fn each_client_is_proven_and_each_open_cell_is_named() {
        let all = proven().expect("the kept output");
        for row in ALL.iter().filter(|row| row.gates.is_some()) {
            let each = all.iter().find(|each| each.client.name == row.name);
            let each = each.unwrap_or_else(|| panic!("{} is not in gates.json", row.name));
            let gates = row.gates.as_ref().expect("gates");
            assert_eq!(each.version, row.tested.version, "{}", row.name);
            for trial in GateTrial::ALL {
                let cell = each.cell(*trial).expect("every trial");
                let at = format!("{}, {}", row.title, trial.title());
                assert_eq!(cell["ran"] == true, gates.is_open(*trial), "{at}");
                // Without a call that runs, a call that does not run shows nothing.
                assert_eq!(cell["control"] == false, gates.has_no_tool(*trial), "{at}");
            }
        }
        let page = page().expect("a page");
        assert!(page.contains("| a rule panics | stopped |"), "{page}");
    }
}
