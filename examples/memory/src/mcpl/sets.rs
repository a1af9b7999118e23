//! The feature sets: what a host decides on.

use hooks_sdk::prelude::*;

/// Retrieve relevant memories
#[mcpl::feature_set("memory.retrieval")]
#[derive(Debug)]
pub struct Retrieval;

/// Learn from conversations
#[mcpl::feature_set("memory.extraction")]
#[derive(Debug)]
pub struct Extraction;

/// Summarize memories using AI
#[mcpl::feature_set("memory.consolidation", sends(inference))]
#[derive(Debug)]
pub struct Consolidation;

/// Surface reminders proactively
#[mcpl::feature_set("memory.proactive", sends(push))]
#[derive(Debug)]
pub struct Proactive;

/// Keep working notes that can be rolled back
#[mcpl::feature_set("memory.notes", rollback)]
#[derive(Debug)]
pub struct NoteKeeping;
