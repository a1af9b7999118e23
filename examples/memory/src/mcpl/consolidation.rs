//! Merging related memories: the host's model writes the text, and the originals stay, superseded.

use futures::StreamExt;
use hooks_sdk::{
    core::Open,
    mcpl::{Call, FinishReason, Host, Inference, SendError},
    prelude::*,
};
use rmcp::{handler::server::common::Extension, model::CallToolResult, tool, tool_router};

use crate::{
    Memory,
    args::ConsolidateMemories,
    extract::{Arguments, schema},
    mcpl::sets::Consolidation,
    render,
    store::{Error, Record, Store},
};

/// What the model may write beyond the length of what it merges, in bytes.
const BEYOND: usize = 200;
/// The most tokens it may write; an answer that comes to them was cut, and is not used.
const TOKENS: u64 = 2000;

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
    /// Merge memories of a project that say related things into one: the client's model writes it, and the
    /// old ones are hidden, not deleted. Once per call; call again for more. It needs a client that speaks
    /// MCPL.
    // In no feature set: what it asks of the host is in one, and the answer says so when that is disabled.
    #[tool(
        input_schema = schema::<ConsolidateMemories>(),
        annotations(title = "Merge related memories", destructive_hint = false, open_world_hint = false)
    )]
    async fn consolidate_memories(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<ConsolidateMemories>,
    ) -> Result<CallToolResult, Error> {
        let ConsolidateMemories { project } = given?;
        match consolidate(self.store(), call.host(), &project, None).await {
            Ok(merged) => Ok(render::merged(&project, &merged)),
            Err(Unmerged::Store(error)) => Err(error),
            Err(Unmerged::Host(error @ SendError::NoHost)) => Err(Error::refused(
                format!(
                    "merging needs a client that speaks MCPL, and writes the text with its model: {error}"
                ),
                "write the text yourself: `store_memory` with `supersedes`, then `delete_memory` for the rest",
            )),
            Err(Unmerged::Host(error @ SendError::NotEnabled { .. })) => Err(Error::refused(
                error.to_string(),
                "nothing was changed; the user can enable it in the client",
            )),
            Err(other) => Err(Error::refused(
                other.to_string(),
                "nothing was changed; call again, or merge them by hand",
            )),
        }
    }
}

/// Lets the host's model write one memory in the place of related ones. Whatever goes wrong changes nothing.
pub(super) async fn consolidate(
    store: &Store,
    host: &Host,
    project: &str,
    conversation: Option<&str>,
) -> Result<Merged, Unmerged> {
    host.check::<Consolidation>()?;
    let originals = store.related(project, conversation).await?;
    if originals.is_empty() {
        return Ok(Merged::Nothing);
    }
    let text = write(host, &originals).await?;
    if text
        .trim_matches(|c: char| !c.is_alphanumeric())
        .eq_ignore_ascii_case("none")
    {
        return Ok(Merged::Apart(originals));
    }
    let record = store.merge(originals.clone(), &text).await?;
    Ok(Merged::Into(record, originals))
}

async fn write(host: &Host, originals: &[Record]) -> Result<String, Unmerged> {
    let contents = originals.iter().map(|original| &original.content);
    let length: usize = contents.clone().map(String::len).sum();
    let prompt = format!(
        "{}\n{}",
        include_str!("merge.md"),
        mcpl::wrapped("notes", contents)
    );
    let inference = Inference::prompt(prompt)
        .max_tokens(TOKENS)
        .temperature(0.0);
    let mut stream = host.infer_streaming::<Consolidation>(&inference)?;
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
