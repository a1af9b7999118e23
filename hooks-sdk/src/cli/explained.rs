//! What fires at an event and what does not, hook by hook.

use super::{declared::IN_ITS_OWN_PROCESS, evaluate::Evaluated};
use crate::{
    clients::{
        Client,
        dump::{FiredText, LeftOut},
    },
    lifecycle::{HookContent, host::Reason},
    server::Declared,
};

/// How many characters of English make a token, roughly.
const CHARACTERS_A_TOKEN: usize = 4;

pub(super) fn fires(evaluated: &Evaluated) -> Vec<FiredText> {
    let report = evaluated.fired.report.iter();
    let fires = report.flat_map(|report| &report.injected).map(|injected| {
        let characters = injected.text.chars().count();
        let declared = evaluated.declared.get(injected.index);
        FiredText {
            hooks: declared.map_or_else(Vec::new, |each| each.hooks.clone()),
            characters,
            tokens: characters.div_ceil(CHARACTERS_A_TOKEN),
            text: injected.text.clone(),
        }
    });
    fires.collect()
}

/// Returns the length of the answer in the client's unit, and the most that is sent.
pub(super) fn length(client: &Client, evaluated: &Evaluated) -> Option<String> {
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
    said.chain(unfit.iter().cloned()).chain(kept).collect()
}
