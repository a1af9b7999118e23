//! Merging related memories: the host's model writes the text, and the originals stay, superseded.

use std::time::Duration;

use futures::StreamExt;
use hooks_sdk::{
    core::Open,
    mcpl::{Call, FinishReason, Host, Inference, InferenceStream, SendError},
    prelude::*,
};
use rmcp::{handler::server::common::Extension, model::CallToolResult, tool, tool_router};

use crate::{
    Memory,
    args::OfProject,
    extract::{Arguments, schema},
    mcpl::{OfConnection, sets::Consolidation},
    render,
    store::{Error, Record, Store},
};

/// What the model may write beyond the length of what it merges, in bytes.
const BEYOND: usize = 200;
/// The most tokens it may write; an answer that comes to them was cut, and is not used.
const TOKENS: u64 = 2000;
/// How often a host is asked that refuses, and how long after the first time; twice as long each time.
const ATTEMPTS: u32 = 6;
const AGAIN: Duration = Duration::from_secs(1);

/// What became of the related memories of a project.
#[derive(Debug)]
pub(crate) enum Merged {
    /// There are no two.
    Nothing,
    /// The model says that they are not about the same thing.
    Apart(Vec<Record>),
    /// One stands in the place of the others.
    Into(Record, Vec<Record>),
}

/// Why nothing was merged, and nothing changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unmerged {
    #[error("the host did not write the merged text: {0}")]
    Host(#[from] SendError),
    #[error("the host's answer is no merged text: {0}")]
    Answer(&'static str),
    #[error(transparent)]
    Store(#[from] Error),
}

#[tool_router(router = consolidation_tools, vis = "pub(crate)")]
impl Memory {
    /// Merge memories of a project that say related things into one: the client's model writes it while you go
    /// on, and the old ones are hidden then, not deleted. The next call says what became of it, and merges
    /// more. It needs a client that speaks MCPL.
    // In no feature set: what it asks of the host is in one, and the answer says so when that is disabled.
    #[tool(
        input_schema = schema::<OfProject>(),
        annotations(title = "Merge related memories", destructive_hint = false, open_world_hint = false)
    )]
    async fn consolidate_memories(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<OfProject>,
    ) -> Result<CallToolResult, Error> {
        let OfProject { project } = given?;
        let host = call.host();
        let kept = host.connection_data::<OfConnection>();
        let kept = kept.ok_or(SendError::NoHost);
        let kept = kept.and_then(|kept| host.check::<Consolidation>().map(|()| kept));
        let kept = kept.map_err(|error| refused(error.into()))?;
        let merges = &kept.merges;
        let running = match merges.begin(&project) {
            Ok(running) => running,
            Err(other) => return Ok(render::still_merging(&other)),
        };
        let begun = begin(self.store(), host, &project, None).await;
        let begun = begun.map_err(refused)?;
        let before = merges.take_ended();
        let Some(begun) = begun else {
            return Ok(render::merging(
                before,
                &render::merged(&project, &Merged::Nothing),
            ));
        };
        let asked = render::asked_to_merge(&project, &begun.originals);
        let (store, host) = (self.store().clone(), host.clone());
        // The model that writes the text may be the one that waits for this answer.
        tokio::spawn(async move {
            let ended = end_patiently(begun, &store, &host, &project, None).await;
            running.end(match ended {
                Ok(merged) => render::merged(&project, &merged),
                Err(unmerged) => {
                    tracing::warn!(error = %unmerged, "nothing was merged");
                    render::unmerged(&project, &unmerged)
                }
            });
        });
        Ok(render::merging(before, &asked))
    }
}

fn refused(unmerged: Unmerged) -> Error {
    match unmerged {
        Unmerged::Store(error) => error,
        Unmerged::Host(error @ SendError::NoHost) => Error::refused(
            format!(
                "merging needs a client that speaks MCPL, and writes the text with its model: {error}"
            ),
            "write the text yourself: `store_memory` with `supersedes`, then `delete_memory` for the rest",
        ),
        Unmerged::Host(SendError::BeforePolicy { .. }) => Error::refused(
            "the client has not said yet whether its model may write the merged text",
            "nothing was changed; call again in a while, or write the text yourself: `store_memory` with `supersedes`",
        ),
        Unmerged::Host(error @ SendError::NotEnabled { .. }) => Error::refused(
            error.to_string(),
            "nothing was changed; the user can enable it in the client",
        ),
        other => Error::refused(
            other.to_string(),
            "nothing was changed; call again, or merge them by hand",
        ),
    }
}

/// Related memories, and the text that the host's model is to write of them.
pub(super) struct Begun {
    originals: Vec<Record>,
    stream: InferenceStream,
}

/// Lets the host's model write one memory in the place of related ones. Whatever goes wrong changes nothing.
pub(super) async fn consolidate(
    store: &Store,
    host: &Host,
    project: &str,
    conversation: Option<&str>,
) -> Result<Merged, Unmerged> {
    match begin(store, host, project, conversation).await? {
        Some(begun) => end_patiently(begun, store, host, project, conversation).await,
        None => Ok(Merged::Nothing),
    }
}

/// Looks for related memories, and prepares the inference; nothing is sent before the end is awaited.
async fn begin(
    store: &Store,
    host: &Host,
    project: &str,
    conversation: Option<&str>,
) -> Result<Option<Begun>, Unmerged> {
    host.check::<Consolidation>()?;
    let originals = store.related(project, conversation).await?;
    if originals.is_empty() {
        return Ok(None);
    }
    let contents = originals.iter().map(|original| &original.content);
    let prompt = format!(
        "{}\n{}",
        include_str!("merge.md"),
        mcpl::wrapped("notes", contents)
    );
    let inference = Inference::prompt(prompt)
        .max_tokens(TOKENS)
        .temperature(0.0);
    let stream = host.infer_streaming::<Consolidation>(&inference)?;
    Ok(Some(Begun { originals, stream }))
}

/// Asks a host again that refuses: one that waits for a hook of any server takes no inference (MCPL 0.4.1 §10.7).
async fn end_patiently(
    mut begun: Begun,
    store: &Store,
    host: &Host,
    project: &str,
    conversation: Option<&str>,
) -> Result<Merged, Unmerged> {
    let mut wait = AGAIN;
    for attempt in 1..ATTEMPTS {
        match begun.end(store).await {
            Err(Unmerged::Host(SendError::Refused(error))) => {
                tracing::debug!(%error, attempt, "the host is asked again");
            }
            ended => return ended,
        }
        tokio::time::sleep(wait).await;
        wait *= 2;
        // The memories may have changed meanwhile.
        begun = match begin(store, host, project, conversation).await? {
            Some(begun) => begun,
            None => return Ok(Merged::Nothing),
        };
    }
    begun.end(store).await
}

impl Begun {
    async fn end(self, store: &Store) -> Result<Merged, Unmerged> {
        let Begun { originals, stream } = self;
        let length = originals
            .iter()
            .map(|original| original.content.len())
            .sum();
        let text = written(stream, length).await?;
        if text
            .trim_matches(|c: char| !c.is_alphanumeric())
            .eq_ignore_ascii_case("none")
        {
            return Ok(Merged::Apart(originals));
        }
        let record = store.merge(originals.clone(), &text).await?;
        Ok(Merged::Into(record, originals))
    }
}

/// The text, unless it is much longer than what it merges.
async fn written(mut stream: InferenceStream, length: usize) -> Result<String, Unmerged> {
    let mut so_far = 0;
    while let Some(chunk) = stream.next().await {
        so_far += chunk.delta.len();
        if so_far > length + BEYOND {
            // Dropping the stream tells the host to stop.
            return Err(Unmerged::Answer("it is longer than what it merges"));
        }
    }
    let written = stream.finish().await?;
    let text = written.content.trim();
    if written.finish_reason != Open::Known(FinishReason::EndTurn) {
        return Err(Unmerged::Answer("it was cut"));
    }
    if text.is_empty() || text.len() > length + BEYOND {
        return Err(Unmerged::Answer(
            "it is empty, or longer than what it merges",
        ));
    }
    Ok(text.to_owned())
}
