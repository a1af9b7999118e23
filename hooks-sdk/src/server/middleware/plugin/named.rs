//! Requests that name a resource and do not read it: the rules for reading it hold for them, too.

use rmcp::{ErrorData, model::ReadResourceRequestParams};

use super::{built::Built, item::Resources, pre::Running, refusal};
use crate::{
    plugin::{Denial, PluginAt},
    server::way::{Asked, Call, Flow, Named, Request, Way},
};

impl Built {
    /// Returns whether hooks before a reading of the resource are for this request.
    pub(super) fn concerns_named(&self, asked: &Asked) -> bool {
        match asked.named() {
            Named::Resource(uri) | Named::ResourceTemplate(uri) => {
                self.chain().concerns(PluginAt::ResourcePreFetch, uri)
            }
            Named::Nothing
            | Named::Tool(_)
            | Named::Prompt(_)
            | Named::Task(_)
            | Named::Unknown => false,
        }
    }

    /// Passes a request through the hooks before a reading of the resource that it names.
    pub(super) async fn before_named(
        &self,
        request: &mut Request,
        call: &mut Call,
        way: &Way,
    ) -> Flow {
        let uri = match request.asked.named() {
            Named::Resource(uri) | Named::ResourceTemplate(uri) => uri.to_owned(),
            _ => return Flow::On,
        };
        let mut reading = Request {
            asked: Asked::ReadResource(ReadResourceRequestParams::new(uri.clone())),
            cx: request.cx.clone(),
        };
        let chain = self.chain_of(&request.cx);
        let flow = self
            .before::<Resources>(chain, &mut reading, call, way)
            .await;
        // The hooks after the reading have nothing to see.
        drop(call.kept.take_boxed::<Running<Resources>>());
        match flow {
            Flow::On | Flow::Again => {
                if let Named::Resource(now) = reading.asked.named()
                    && now != uri
                {
                    request.asked.rename(now.to_owned());
                }
                Flow::On
            }
            Flow::Answer(answer) => Flow::answer(Err(match *answer {
                Err(error) => error,
                Ok(_) => self.cannot_ask(&uri),
            })),
        }
    }

    fn cannot_ask(&self, uri: &str) -> ErrorData {
        let reason = format!(
            "the user has to be asked about `{uri}`, and this request cannot wait for that; send `resources/read` first"
        );
        let blocked = Denial::by_chain("elicitation_unsupported", reason);
        refusal::error(&blocked, self.exposes_names())
    }
}
