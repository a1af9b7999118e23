//! The output of `hooks explain`, hook by hook.

use serde::Serialize;

use super::{declared::IN_ITS_OWN_PROCESS, evaluate::Evaluated};
use crate::{
    clients::Client,
    lifecycle::{HookContent, host::Reason},
    server::Declared,
};

/// How many characters of English make a token, roughly.
const CHARACTERS_A_TOKEN: usize = 4;

/// Returns about how many tokens this number of characters makes.
pub(super) fn tokens(characters: usize) -> usize {
    characters.div_ceil(CHARACTERS_A_TOKEN)
}

/// The result in one client.
#[derive(Debug, Serialize)]
pub(super) struct InClient {
    pub(super) client: &'static str,
    pub(super) native: &'static str,
    pub(super) tested: String,
    pub(super) reaches_the_agent: bool,
    pub(super) subagents: Option<bool>,
    pub(super) notes: Vec<String>,
    pub(super) fires: Vec<Firing>,
    /// The length of the answer, as the client counts it, and its limit; `None` without a text.
    pub(super) length: Option<String>,
    pub(super) left_out: Vec<LeftOut>,
    /// The plugin hooks that the server runs when a client calls the tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) policy: Vec<String>,
    /// What the server decides about the call, in a session of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<String>,
}

/// A hook that fires.
#[derive(Debug, Serialize)]
pub(super) struct Firing {
    pub(super) hooks: Vec<String>,
    characters: usize,
    tokens: usize,
    pub(super) text: String,
}

/// A hook at the event that does not fire.
#[derive(Debug, Serialize)]
pub(super) struct LeftOut {
    pub(super) hooks: Vec<String>,
    pub(super) why: String,
}

pub(super) fn fires(evaluated: &Evaluated) -> Vec<Firing> {
    let report = evaluated.fired.report.iter();
    let fires = report.flat_map(|report| &report.injected).map(|injected| {
        let characters = injected.text.chars().count();
        let declared = evaluated.declared.get(injected.index);
        Firing {
            hooks: declared.map_or_else(Vec::new, |each| each.hooks.clone()),
            characters,
            tokens: tokens(characters),
            text: injected.text.clone(),
        }
    });
    fires.collect()
}

/// Returns the length of the answer in the client's unit, and the most that is sent.
pub(super) fn length(client: &dyn Client, evaluated: &Evaluated) -> Option<String> {
    let report = evaluated.fired.report.as_ref()?;
    let budget = client.budget(report.event);
    let length = budget.length(&report.to_string());
    (length > 0).then(|| format!("{length} of {budget}"))
}

/// Returns every declaration at the event that does not fire, with the reason.
pub(super) fn left_out(silence: Option<&'static str>, evaluated: &Evaluated) -> Vec<LeftOut> {
    let Evaluated {
        fired,
        declared,
        kept,
        unfit,
        ..
    } = evaluated;
    let why = |index: usize, each: &Declared| {
        let Some(report) = &fired.report else {
            return silence.map(str::to_owned);
        };
        if report.injected.iter().any(|one| one.index == index) {
            return None;
        }
        if let Some(skipped) = report.skipped.iter().find(|one| one.index == index) {
            let asks = matches!(each.declaration.content, HookContent::ContextTool { .. });
            return Some(match skipped.reason {
                Reason::Empty if asks => format!("{}; {IN_ITS_OWN_PROCESS}", skipped.reason),
                _ => skipped.reason.to_string(),
            });
        }
        if let Some(failed) = report.failed.iter().find(|one| one.index == index) {
            return Some(failed.to_string());
        }
        Some("the policy does not admit it".to_owned())
    };
    let unfit = unfit.iter().map(|(hooks, why)| LeftOut {
        hooks: hooks.clone(),
        why: why.clone(),
    });
    let declared = declared.iter().enumerate();
    // A declaration of which no text fits has no hooks left.
    let said = declared.filter(|(_, each)| !each.hooks.is_empty());
    let said = said.filter_map(|(index, each)| {
        Some(LeftOut {
            hooks: each.hooks.clone(),
            why: why(index, each)?,
        })
    });
    let kept = kept.iter().map(|each| LeftOut {
        hooks: each.hooks.clone(),
        why: "the resumed session still has the text".to_owned(),
    });
    said.chain(unfit).chain(kept).collect()
}

pub(super) fn page(of: &InClient) -> String {
    let mut page = format!("{}: {} in {}\n", of.client, of.native, of.tested);
    if !of.reaches_the_agent {
        page.push_str("  no text reaches the agent here\n");
    }
    for note in &of.notes {
        page.push_str(&format!("  note: {note}\n"));
    }
    page.push_str(match of.subagents {
        Some(true) => "  subagents also receive the text\n",
        Some(false) => "  subagents do not receive the text\n",
        None => "  not verified whether subagents receive the text\n",
    });
    for firing in &of.fires {
        let Firing {
            hooks,
            characters,
            tokens,
            text,
        } = firing;
        page.push_str(&format!(
            "  fires: {} ({characters} characters, about {tokens} tokens)\n",
            hooks.join(", ")
        ));
        for line in text.trim().lines() {
            page.push_str(&format!("  | {line}\n"));
        }
    }
    if let Some(length) = &of.length {
        page.push_str(&format!("  the answer has {length}\n"));
    }
    for left_out in &of.left_out {
        page.push_str(&format!(
            "  skipped: {}: {}\n",
            left_out.hooks.join(", "),
            left_out.why
        ));
    }
    for hook in &of.policy {
        page.push_str(&format!("  policy of the server: {hook}\n"));
    }
    if let Some(decision) = &of.server {
        page.push_str(&format!("  the server {decision}\n"));
    }
    if of.fires.is_empty() && of.left_out.is_empty() {
        page.push_str("  no hook is declared for this event\n");
    }
    page
}
