//! Scopes that the server asks for.

use serde_json::{Value, json};

use super::read;
use crate::{
    mcpl::{Elevation, ErrorObject, wire::ScopeElevate},
    testing::mcpl::{grants::Listed, shared::SharedHost},
};

/// Judges by the lists, then by what the test decides (MCPL 0.4.1 §7.5 and §7.6).
pub(super) fn elevate(shared: &SharedHost, params: &Value) -> Result<Value, ErrorObject> {
    let ScopeElevate {
        feature_set, scope, ..
    } = read(params)?;
    let listed = {
        let state = shared.state();
        state.gate.check_set(&feature_set)?;
        state.gate.judge(&feature_set, &scope.label)
    };
    let config = &shared.config;
    Ok(json!(match listed {
        Listed::Black => Elevation::denied("on the blacklist"),
        Listed::White => {
            let more = config.enrich.as_ref();
            let more = more.map(|enrich| enrich(&feature_set, &scope));
            let payload = match (scope.payload, more) {
                (Some(payload), Some(more)) => Some(payload.into_iter().chain(more).collect()),
                (payload, more) => payload.or(more),
            };
            Elevation::approved(payload)
        }
        Listed::Neither => match &config.decide {
            Some(decide) => decide(&feature_set, &scope),
            None => Elevation::denied("not on the whitelist, and there is nobody to ask"),
        },
    }))
}
