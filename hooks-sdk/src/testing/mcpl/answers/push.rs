//! Events that the server reports.

use serde_json::{Value, json};

use super::read;
use crate::{
    mcpl::{
        ErrorObject,
        wire::{PushEvent, PushEventResult},
    },
    testing::mcpl::shared::SharedHost,
};

/// Accepts an event once (MCPL 0.4.1 §9).
pub(super) fn event(shared: &SharedHost, params: &Value) -> Result<Value, ErrorObject> {
    let event: PushEvent = read(params)?;
    if !is_moment(&event.timestamp) {
        let reason = format!("`{}` is no moment of ISO 8601", event.timestamp);
        return Err(ErrorObject::invalid_params(reason));
    }
    let mut state = shared.state();
    state.gate.check_set(&event.feature_set)?;
    Ok(json!(if state.events.insert(&event.event_id) {
        PushEventResult::accepted().inference(state.next_inference())
    } else {
        PushEventResult::refused("duplicate")
    }))
}

/// Whether it is a date and a time with its zone, by their shape.
fn is_moment(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|letter| if letter.is_ascii_digit() { '0' } else { letter })
        .collect();
    let Some(rest) = shape.strip_prefix("0000-00-00T00:00:00") else {
        return false;
    };
    let fraction = rest.strip_prefix('.');
    let zone = fraction.map_or(rest, |digits| digits.trim_start_matches('0'));
    matches!(zone, "Z" | "+00:00" | "-00:00")
}

#[cfg(test)]
mod tests {
    use super::is_moment;

    #[test]
    fn moments() {
        for good in [
            "2026-01-23T10:30:00Z",
            "2026-01-23T10:30:00.123Z",
            "2026-01-23T10:30:00.5+02:00",
        ] {
            assert!(is_moment(good), "{good}");
        }
        for bad in ["", "2026-01-23", "2026-01-23T10:30:00", "1769164200", "now"] {
            assert!(!is_moment(bad), "{bad}");
        }
    }
}
