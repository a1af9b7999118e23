//! What the server would decide about a call: the call goes the server's own way, and no tool runs.

mod judged;
mod user;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use hooks_text::nearest;
use serde_json::{Map, Value, json};

#[cfg(feature = "policy-engine")]
pub(super) use self::judged::is_behind;
pub(super) use self::{
    judged::{JudgedCall, Outcome},
    user::UserAnswer,
};
use self::{
    judged::{judged, unseen},
    user::JudgedUser,
};
use super::{CommandError, Program, program::SessionPlace};
use crate::{
    server::{Hooked, ServerHandler},
    testing::TestHost,
};
use hooks_core::internal::{catch_panic_now, debugs, lock};
use hooks_server::internal::{Dry, DryAnswer, DryCall};

/// The client of which the server's own hooks know nothing.
const VERSION: &str = "2025-11-25";

type Find = dyn Fn(&str) -> Option<Value> + Send + Sync;

/// A server that decides about calls, one after another.
pub(super) struct Judge {
    host: TestHost,
    dry: Arc<Dry>,
    user: Arc<Mutex<JudgedUser>>,
    /// The tools and prompts that clients see.
    tools: Vec<String>,
    prompts: Vec<String>,
    /// The definitions of the tools that clients see.
    #[cfg(feature = "policy-engine")]
    listed: Vec<Value>,
    /// Finds a tool of the author's server by its name.
    find: Box<Find>,
    asks_elsewhere: bool,
}

/// The item of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum JudgedItem<'c> {
    Tool(&'c str),
    Prompt(&'c str),
    Resource(&'c str),
    Completion(JudgedArgument<'c>),
}

/// An argument to be completed: of a prompt, or of a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct JudgedArgument<'c> {
    pub(super) is_of_prompt: bool,
    /// The name of the prompt, or the template or URI of the resource.
    pub(super) name: &'c str,
    pub(super) argument: &'c str,
    pub(super) value: &'c str,
}

/// A call of an item.
#[derive(Debug)]
pub(super) struct Judging<'c> {
    pub(super) item: JudgedItem<'c>,
    pub(super) args: Map<String, Value>,
    pub(super) metadata: Map<String, Value>,
    pub(super) session: Option<&'c str>,
    pub(super) call: DryCall,
    /// The user's answers, in the order of the questions.
    pub(super) answers: VecDeque<Value>,
    /// The answer to further questions. Without one, the call waits for its user.
    pub(super) otherwise: Option<UserAnswer>,
}

impl Judge {
    /// Makes the server, as `serve` makes it.
    ///
    /// # Errors
    ///
    /// All that `serve` refuses at its start.
    pub(super) async fn of<H: ServerHandler>(
        program: &Program<H>,
        file: Option<&std::path::Path>,
    ) -> Result<Judge, CommandError> {
        let collected = program.settled(|guidance| guidance, SessionPlace::Nowhere)?;
        let collected = match file {
            #[cfg(feature = "policy-engine")]
            Some(file) => collected.configured_by(file),
            _ => collected,
        };
        let server = program.server().await;
        let server = server.map_err(|error| format!("the server cannot be made: {error}"))?;
        Judge::over(collected.wrap(server)?).await
    }

    async fn over<H: ServerHandler>(hooked: Hooked<H>) -> Result<Judge, CommandError> {
        let asks_elsewhere = hooked.asks_elsewhere();
        let dry = Arc::new(Dry::default());
        let hooked = hooked.dry(dry.clone());
        hooked.check()?;
        let user = Arc::new(Mutex::new(JudgedUser::default()));
        let answers = user.clone();
        let own = hooked.clone();
        let builder = TestHost::builder().version(VERSION);
        let host = builder.user(move |asked| lock(&answers).answer(asked));
        let host = host.connect(hooked).await?;
        let names = |listed: &[Value]| {
            let names = listed.iter().filter_map(|each| each["name"].as_str());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        let listed = host.list_tools().await.unwrap_or_default();
        let prompts = host.request("prompts/list", json!({})).await;
        let mut prompts = prompts.unwrap_or_default();
        let prompts = match prompts["prompts"].take() {
            Value::Array(prompts) => names(&prompts),
            _ => Vec::new(),
        };
        Ok(Judge {
            host,
            dry,
            user,
            tools: names(&listed),
            prompts,
            #[cfg(feature = "policy-engine")]
            listed,
            find: Box::new(move |name| {
                let tool = catch_panic_now(|| own.server().get_tool(name));
                serde_json::to_value(tool.ok()??).ok()
            }),
            asks_elsewhere,
        })
    }

    /// Returns whether the server has a tool of this name, hidden or not.
    pub(super) fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool == name) || (self.find)(name).is_some()
    }

    /// Returns what the author's server says of a tool.
    #[cfg(feature = "policy-engine")]
    pub(super) fn definition(&self, name: &str) -> Option<Map<String, Value>> {
        match (self.find)(name)? {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the rules that do not do what they say: for tools that the server does not have, and with paths that
    /// tools do not have. `serve` logs them.
    #[cfg(feature = "policy-engine")]
    pub(super) fn warnings(
        &self,
        chain: &crate::plugin::Chain,
        lists: &[crate::plugin::ListHook],
    ) -> Vec<String> {
        use hooks_plugin::internal::{misfits, unlisted};

        let named = chain.hooks().flat_map(|hook| hook.its_items());
        let named = named.chain(lists.iter().flat_map(|hook| hook.its_items()));
        let hidden = named.filter(|name| !self.tools.iter().any(|tool| tool == name));
        let hidden: Vec<Value> = hidden.filter_map(|name| (self.find)(name)).collect();
        let typed = super::plugins::typed(self.listed.iter().chain(&hidden));
        let found = misfits(chain.hooks(), &typed);
        let problems = found.problems.into_iter();
        let problems = problems.map(|problem| format!("{}; {}", problem.message, problem.help));
        let mut all: Vec<String> = problems.chain(found.warnings).collect();
        // A tool that list hooks hide is found by its name only.
        if self.tools.iter().any(|tool| (self.find)(tool).is_some()) {
            all.extend(unlisted(lists, &typed));
        }
        all
    }

    /// Returns what is not judged, in sentences for people.
    pub(super) fn left_out(&self) -> Option<String> {
        let why =
            "the guardian over HTTP was not asked, because it would take the calls for real ones";
        self.asks_elsewhere.then(|| why.to_owned())
    }

    /// Says that the server has no such tool or prompt.
    fn unknown(&self, item: JudgedItem<'_>) -> Option<String> {
        let (kind, name, known) = match item {
            JudgedItem::Tool(name) if !self.has_tool(name) => ("tool", name, &self.tools),
            JudgedItem::Prompt(name)
            | JudgedItem::Completion(JudgedArgument {
                is_of_prompt: true,
                name,
                ..
            }) if !self.prompts.iter().any(|known| known == name) => {
                ("prompt", name, &self.prompts)
            }
            _ => return None,
        };
        let near = nearest(name, known.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Some(format!("this server has no {kind} `{name}`{near}"))
    }

    /// Sends a call the server's own way.
    pub(super) async fn judge(&self, judging: Judging<'_>) -> JudgedCall {
        let Judging {
            item,
            args,
            metadata,
            session,
            mut call,
            answers,
            otherwise,
        } = judging;
        let warning = self.unknown(item);
        if warning.is_some() {
            call.answer = DryAnswer::Unknown;
        }
        let is_error = call.answer.is_error();
        self.dry.expect(call);
        *lock(&self.user) = JudgedUser {
            answers,
            otherwise,
            ..JudgedUser::default()
        };
        let mut meta = metadata;
        if let Some(session) = session {
            meta.insert("sessionId".to_owned(), session.into());
        }
        let (method, mut params) = match item {
            JudgedItem::Tool(name) => ("tools/call", json!({ "name": name, "arguments": args })),
            JudgedItem::Prompt(name) => ("prompts/get", json!({ "name": name, "arguments": args })),
            JudgedItem::Resource(uri) => ("resources/read", json!({ "uri": uri })),
            JudgedItem::Completion(of) => {
                let reference = match of.is_of_prompt {
                    true => json!({ "type": "ref/prompt", "name": of.name }),
                    false => json!({ "type": "ref/resource", "uri": of.name }),
                };
                let argument = json!({ "name": of.argument, "value": of.value });
                let mut params = json!({ "ref": reference, "argument": argument });
                if !args.is_empty() {
                    params["context"] = json!({ "arguments": args });
                }
                ("completion/complete", params)
            }
        };
        if !meta.is_empty() {
            params["_meta"] = Value::Object(meta);
        }
        let answer = self.host.request(method, params).await;
        let user = std::mem::take(&mut *lock(&self.user));
        let decided = self.dry.decided().unwrap_or_else(|| unseen(&answer));
        judged(decided, &user, &args, is_error, warning)
    }
}

debugs!(Judge { host });
