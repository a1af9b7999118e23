//! The tools, most of which ask the host for something and answer what it said.

use std::time::{SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use hooks_sdk::{
    mcpl::{
        Author, Call, ErrorObject, EventId, FeatureSetChange, Host, IncomingMessage, Inference,
        InferenceResult, Push as Event, PushRefusal, Pushed, Scope, SendError, Tag,
        wire::ChannelsChanged,
    },
    prelude::*,
};
use rmcp::{
    ErrorData, ServerHandler,
    handler::server::{common::Extension, wrapper::Parameters},
    model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig},
    tool, tool_handler, tool_router,
};
use serde_json::{Map, Value, json};

use crate::{
    Fixture,
    args::{CommitArgs, FileArgs, IncomingArgs, InferArgs, PushArgs, Text},
    channels::{extra, lobby, news},
    said::{failed, of_host, refused, said},
    sets::{Chan, Files, Infer, Late, NoteKeeping, Push},
};

type Answer = Result<CallToolResult, ErrorData>;

/// How many messages are handed over at once.
const MOST: u32 = 10_000;

#[hooks_sdk::hooks]
#[tool_router(router = tools, vis = "pub(crate)")]
impl Fixture {
    /// Answer the text
    #[tool]
    async fn acc_echo(&self, Parameters(Text { text }): Parameters<Text>) -> Answer {
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    /// What the server has seen of its host
    #[tool]
    async fn acc_state(&self, Extension(call): Extension<Call>) -> Answer {
        let host = call.host();
        let seen = self.seen.lock();
        Ok(said(&json!({
            "mcpl": host.version().is_some(),
            "hostVersion": host.advertised_version(),
            "enabled": host.enabled(),
            "scopes": host.scopes(),
            "before": seen.before,
            "after": seen.after,
            "outgoing": seen.outgoing,
            "published": seen.published,
            "open": host.open_channels(),
            "lifecycle": seen.lifecycle,
            "grant": host.grant(),
        })))
    }

    /// Push an event
    #[tool]
    async fn acc_push(
        &self,
        Extension(call): Extension<Call>,
        Parameters(args): Parameters<PushArgs>,
    ) -> Answer {
        let id = match args.event_id {
            Some(id) => EventId::given(id),
            None => EventId::of("acc", nanoseconds()),
        };
        let origin = Map::from_iter([("server".to_owned(), json!("acc"))]);
        let mut event = Event::new(id, args.text).origin(origin);
        for tag in args.tags.into_iter().flatten() {
            match Tag::new(tag) {
                Ok(tag) => event = event.tag(tag),
                Err(error) => return Ok(said(&refused(&ErrorObject::invalid_params(error)))),
            }
        }
        let host = call.host();
        let pushed = match args.feature_set.as_deref().unwrap_or(Push::NAME) {
            Push::NAME => host.push::<Push>(&event).await,
            Late::NAME => host.push::<Late>(&event).await,
            // No other set declares that it pushes, so nothing could stand here that compiles.
            other => Err(SendError::UnknownFeatureSet {
                feature_set: other.to_owned(),
            }),
        };
        Ok(said(&match pushed {
            Ok(Pushed::Accepted(result) | Pushed::Duplicate(result)) => of_host(Ok(result)),
            Ok(Pushed::Refused(PushRefusal::Result(result))) => of_host(Ok(result)),
            Ok(Pushed::Refused(PushRefusal::Error(error))) => failed(&SendError::Refused(error)),
            Ok(_) => json!({ "ok": true }),
            Err(error) => failed(&error),
        }))
    }

    /// Ask for an inference
    #[tool]
    async fn acc_infer(
        &self,
        Extension(call): Extension<Call>,
        Parameters(args): Parameters<InferArgs>,
    ) -> Answer {
        let mut inference = Inference::prompt(args.prompt);
        if let Some(tokens) = args.max_tokens {
            inference = inference.max_tokens(tokens);
        }
        if let Some(id) = args.conversation_id {
            inference = inference.conversation(id);
        }
        let stream = args.stream.unwrap_or_default();
        let (result, chunks) = infer(call.host(), &inference, stream).await;
        let mut answer = of_host(result);
        if let Value::Object(members) = &mut answer {
            members.insert("chunks".to_owned(), Value::Array(chunks));
        }
        Ok(said(&answer))
    }

    /// Ask which model the host uses
    #[tool]
    async fn acc_model_info(&self, Extension(call): Extension<Call>) -> Answer {
        Ok(said(&of_host(call.host().model_info::<Infer>().await)))
    }

    /// Edit a file, within the scopes that the host allows
    #[mcpl::tool(feature_set = Files, guard = false)]
    #[tool]
    async fn acc_file_edit(
        &self,
        Extension(call): Extension<Call>,
        Parameters(FileArgs { path }): Parameters<FileArgs>,
    ) -> Answer {
        if let Err(error) = call.host().check::<Files>() {
            return Ok(said(&failed(&error)));
        }
        if let Some(scope) = call.scope() {
            let payload = &scope.payload;
            let answer = json!({ "ok": true, "via": "host-scope", "payload": payload });
            return Ok(said(&answer));
        }
        let payload = [("path", json!(path)), ("mode", json!("write"))];
        let payload = payload.map(|(name, value)| (name.to_owned(), value));
        let scope = Scope::new(path).payload(Map::from_iter(payload));
        let mut answer = match call.host().elevate::<Files>(scope).await {
            Ok(elevation) => json!(elevation),
            Err(error) => return Ok(said(&failed(&error))),
        };
        if let Value::Object(members) = &mut answer {
            members.insert("ok".to_owned(), json!(true));
            members.insert("via".to_owned(), json!("elevate"));
        }
        Ok(said(&answer))
    }

    /// Add a note
    #[mcpl::tool(feature_set = NoteKeeping, guard = false)]
    #[tool]
    async fn acc_note_add(
        &self,
        Extension(call): Extension<Call>,
        Parameters(Text { text }): Parameters<Text>,
    ) -> Answer {
        if let Err(error) = call.check::<NoteKeeping>() {
            return Ok(said(&failed(&error)));
        }
        let mut notes = self.notes.at(call.given()).await?;
        notes.add(text);
        let answer = json!({ "ok": true, "notes": notes.notes });
        call.answer_state(notes.commit().await?);
        Ok(said(&answer))
    }

    /// List the notes
    #[mcpl::tool(feature_set = NoteKeeping, guard = false)]
    #[tool]
    async fn acc_note_list(&self, Extension(call): Extension<Call>) -> Answer {
        if let Err(error) = call.check::<NoteKeeping>() {
            return Ok(said(&failed(&error)));
        }
        let notes = self.notes.at(call.given()).await?;
        Ok(said(&json!({ "notes": notes.notes })))
    }

    /// Commit to a ledger that the host does not see
    #[mcpl::tool(feature_set = NoteKeeping, guard = false)]
    #[tool]
    async fn acc_ledger_commit(
        &self,
        Extension(call): Extension<Call>,
        Parameters(CommitArgs { message }): Parameters<CommitArgs>,
    ) -> Answer {
        if let Err(error) = call.check::<NoteKeeping>() {
            return Ok(said(&failed(&error)));
        }
        let mut notes = self.notes.at(call.given()).await?;
        if message == "irreversible" {
            notes.irreversible("what was committed cannot be taken back");
        }
        call.answer_state(notes.commit_opaque().await?);
        Ok(said(&json!({ "ok": true })))
    }

    /// Register the channels
    #[tool]
    async fn acc_chan_register(&self, Extension(call): Extension<Call>) -> Answer {
        let channels = vec![lobby(), news()];
        let registered = call.host().register_channels::<Chan>(channels).await;
        if registered.is_ok() {
            self.rooms.told([lobby(), news()]);
        }
        Ok(said(&of_host(registered)))
    }

    /// Change the channels
    #[tool]
    async fn acc_chan_changed(&self, Extension(call): Extension<Call>) -> Answer {
        let mut renamed = lobby();
        renamed.label = "Lobby 2".to_owned();
        let changed = ChannelsChanged::new().added(extra());
        let changed = changed.removed(news().id).updated(renamed.clone());
        let changed = call.host().channels_changed::<Chan>(changed).await;
        if changed.is_ok() {
            self.rooms.told([renamed]);
        }
        Ok(said(&done(changed)))
    }

    /// List the channels that the host knows
    #[tool]
    async fn acc_chan_list_host(&self, Extension(call): Extension<Call>) -> Answer {
        Ok(said(&of_host(call.host().list_channels::<Chan>().await)))
    }

    /// Hand over messages that came in
    #[tool]
    async fn acc_incoming(
        &self,
        Extension(call): Extension<Call>,
        Parameters(IncomingArgs { n, channel_id }): Parameters<IncomingArgs>,
    ) -> Answer {
        if n > MOST {
            let error = ErrorObject::invalid_params(format!("`n` is above {MOST}"));
            return Ok(said(&refused(&error)));
        }
        let channel = channel_id.unwrap_or_else(|| lobby().id);
        let message = |at: u32| {
            let author = Author::new("acc", "Fixture");
            let text = format!("message {at}");
            IncomingMessage::new(&*channel, format!("m{at}"), author, text)
        };
        let messages = (1..=n).map(message).collect();
        Ok(said(&of_host(call.host().incoming::<Chan>(messages).await)))
    }

    /// Change the feature sets
    #[tool]
    async fn acc_fs_changed(&self, Extension(call): Extension<Call>) -> Answer {
        let change = FeatureSetChange::new().add::<Late>().remove::<Infer>();
        Ok(said(&done(call.host().change_feature_sets(change).await)))
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(name)
    }
}

/// The inference's result, and the chunks that came before it.
async fn infer(
    host: &Host,
    inference: &Inference,
    stream: bool,
) -> (Result<InferenceResult, SendError>, Vec<Value>) {
    if !stream {
        return (host.infer::<Infer>(inference).await, Vec::new());
    }
    let mut chunks = Vec::new();
    let mut streamed = match host.infer_streaming::<Infer>(inference) {
        Ok(streamed) => streamed,
        Err(error) => return (Err(error), chunks),
    };
    while let Some(chunk) = streamed.next().await {
        chunks.push(json!({ "index": chunk.index, "delta": chunk.delta }));
    }
    (streamed.finish().await, chunks)
}

/// That it was done, or why not.
fn done<T>(result: Result<T, SendError>) -> Value {
    match result {
        Ok(_) => json!({ "ok": true }),
        Err(error) => failed(&error),
    }
}

fn nanoseconds() -> u128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos())
}
