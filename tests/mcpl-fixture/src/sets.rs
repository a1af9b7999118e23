//! The feature sets.

use hooks_sdk::prelude::*;

use crate::Fixture;

/// Push events to the host
#[mcpl::feature_set("acc.push", sends(push), server = Fixture)]
pub(crate) struct Push;

/// Inject context before each inference
#[mcpl::feature_set("acc.context")]
pub(crate) struct Context;

/// Redact secrets from answers
#[mcpl::feature_set("acc.after")]
pub(crate) struct After;

/// Ask the host for inference
#[mcpl::feature_set("acc.infer", sends(inference), optional(model_info), server = Fixture)]
pub(crate) struct Infer;

/// Edit files within scopes
#[mcpl::feature_set("acc.files", scoped)]
pub(crate) struct Files;

/// Keep notes that can be rolled back
#[mcpl::feature_set("acc.notes", rollback)]
pub(crate) struct NoteKeeping;

/// Talk on the channels of this server
#[mcpl::feature_set("acc.chan", sends(register, incoming))]
pub(crate) struct Chan;

/// Push events that were not there from the start
#[mcpl::feature_set("acc.late", sends(push), later, server = Fixture)]
pub(crate) struct Late;
