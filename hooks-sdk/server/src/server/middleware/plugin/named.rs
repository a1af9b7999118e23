//! Requests that name a resource and do not read it: the rules for reading it hold for them, too.

use rmcp::{ErrorData, model::ReadResourceRequestParams};

use super::{
    built::{Built, RequestPolicy},
    chained::ChainedRequest,
    item::Resources,
    refusal,
};
use crate::server::pipeline::{AuthorRequest, Flow, McpRequest, NamedItem, Pipeline, RequestState};
use hooks_plugin::{Chain, Denial, PluginAt};

/// Returns whether hooks before a reading of the resource are for this request.
pub(super) fn concerns_named(chain: &Chain, asked: &McpRequest) -> bool {
    match asked.named() {
        NamedItem::Resource(uri) | NamedItem::ResourceTemplate(uri) => {
            chain.concerns(PluginAt::ResourcePreFetch, uri)
        }
        NamedItem::Nothing
        | NamedItem::Tool(_)
        | NamedItem::Prompt(_)
        | NamedItem::Task(_)
        | NamedItem::Unknown => false,
    }
}

impl Built {
    /// Passes a request through the hooks before a reading of the resource that it names.
    pub(super) async fn before_named(
        &self,
        policy: RequestPolicy,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let uri = match request.asked.named() {
            NamedItem::Resource(uri) | NamedItem::ResourceTemplate(uri) => uri.to_owned(),
            _ => return Flow::On,
        };
        let mut reading = AuthorRequest {
            asked: McpRequest::ReadResource(ReadResourceRequestParams::new(uri.clone())),
            cx: request.cx.clone(),
        };
        let flow = self
            .before::<Resources>(policy, &mut reading, call, pipeline)
            .await;
        // The hooks after the reading have nothing to see.
        drop(ChainedRequest::take_from(call));
        match flow {
            Flow::On | Flow::Again => {
                if let NamedItem::Resource(now) = reading.asked.named()
                    && now != uri
                    && let Some(own) = request.asked.uri()
                {
                    now.clone_into(own);
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
