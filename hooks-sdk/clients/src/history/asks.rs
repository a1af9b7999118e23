//! The tools that texts asked for which were known only when their hooks fired.

use std::collections::BTreeMap;

use rusqlite::params;

use super::{HookStore, HookStoreError, layout::LONGEST_LOG, now, receipt::bounded};

/// Marks of no session: `asks `, the hook, a blank and the tool.
const ASKS: &str = "asks ";

impl HookStore {
    /// Enters that a text of this hook named these tools. Nothing else of the text is kept.
    ///
    /// # Errors
    ///
    /// The file cannot be used. then nothing is entered.
    pub fn record_asks(&self, hook: &str, tools: &[String]) -> Result<(), HookStoreError> {
        if !self.receipts || tools.is_empty() {
            return Ok(());
        }
        self.write((), LONGEST_LOG, |transaction| {
            for tool in tools {
                let name = format!("{ASKS}{} {}", bounded(hook), bounded(tool));
                transaction
                    .prepare_cached(
                        "INSERT INTO mark VALUES ('', ?1, ?2) ON CONFLICT DO UPDATE SET at = ?2",
                    )?
                    .execute(params![name, now()])?;
            }
            Ok(())
        })
    }

    /// For each hook the tools that [`record_asks`](HookStore::record_asks) entered, in alphabetical order.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn asks(&self) -> Result<BTreeMap<String, Vec<String>>, HookStoreError> {
        // Nothing is asked of a file that is not there, and none is made for that.
        if !self.path().is_some_and(std::path::Path::exists) {
            return Ok(BTreeMap::new());
        }
        self.run(BTreeMap::new(), |connection| {
            let mut asks: BTreeMap<String, Vec<String>> = BTreeMap::new();
            let mut found = connection.prepare_cached(
                "SELECT substr(name, 6) FROM mark
                 WHERE session = '' AND name >= 'asks ' AND name < 'asks!' ORDER BY name",
            )?;
            let mut rows = found.query([])?;
            while let Some(row) = rows.next()? {
                let name: String = row.get(0)?;
                if let Some((hook, tool)) = name.split_once(' ') {
                    asks.entry(hook.to_owned())
                        .or_default()
                        .push(tool.to_owned());
                }
            }
            Ok(asks)
        })
    }
}
