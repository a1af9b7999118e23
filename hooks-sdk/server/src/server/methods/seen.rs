//! Who sees each kind of input and output: the rows of the book's page "Who sees what".

mod outputs;

use super::Direction::{
    self, ClientNotification, ClientRequest, ServerNotification, ServerRequest,
};

pub(super) use outputs::OUTPUTS;

/// One part of a message that has a name: the message itself, or the answer to it.
pub(super) type DirectedPart = (Direction, &'static str, Part);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Message,
    Answer,
}

/// A kind of input or output.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The messages and answers of the table that are of this kind. Empty for a kind that is a part of others.
    pub(super) parts: &'static [DirectedPart],
    /// Who sees it: rules, `redact`, the limit of sizes, the guardian's steps, and the decision log.
    pub(super) seen: [bool; 5],
    /// Whether it is in a message about which the guardian may decide.
    pub(super) whole: bool,
    /// Why nobody sees it, or who does it instead.
    pub(super) note: &'static str,
}

const ALL: [bool; 5] = [true; 5];
const NOBODY: [bool; 5] = [false; 5];
/// Rules, the limit of sizes and the decision log.
const ARGUMENTS: [bool; 5] = [true, false, true, false, true];
/// `redact` alone.
const REDACTED: [bool; 5] = [false, true, false, false, false];
const RULES: [bool; 5] = [true, false, true, false, false];

const fn asks(method: &'static str) -> DirectedPart {
    (ClientRequest, method, Part::Message)
}

const fn answer(method: &'static str) -> DirectedPart {
    (ClientRequest, method, Part::Answer)
}

const fn tells(method: &'static str) -> DirectedPart {
    (ServerNotification, method, Part::Message)
}

/// The kinds of MCPL's own messages.
const FROM_HOST: &str = "MCPL: requests, events and answers of the host";
const TO_HOST: &str =
    "MCPL: push events, injections, requests about channels, prompts, models and scopes";
const DECLARED: &str = "MCPL: declarations of feature sets";

/// The kinds of each message of MCPL and of its answer.
pub(super) const MCPL: &[(&str, &[&str])] = &[
    ("featureSets/update", &[FROM_HOST, DECLARED]),
    ("featureSets/changed", &[DECLARED]),
    ("scope/elevate", &[TO_HOST, FROM_HOST]),
    ("state/rollback", &[FROM_HOST, TO_HOST]),
    ("push/event", &[TO_HOST, FROM_HOST]),
    ("context/beforeInference", &[FROM_HOST, TO_HOST]),
    ("context/afterInference", &[FROM_HOST, TO_HOST]),
    ("inference/lifecycle", &[FROM_HOST]),
    ("inference/request", &[TO_HOST, FROM_HOST]),
    ("inference/chunk", &[FROM_HOST]),
    ("model/info", &[TO_HOST, FROM_HOST]),
    ("channels/register", &[TO_HOST, FROM_HOST]),
    ("channels/changed", &[TO_HOST]),
    ("channels/list", &[FROM_HOST, TO_HOST]),
    ("channels/open", &[FROM_HOST, TO_HOST]),
    ("channels/close", &[FROM_HOST, TO_HOST]),
    ("channels/outgoing/chunk", &[FROM_HOST]),
    ("channels/outgoing/complete", &[FROM_HOST]),
    ("channels/publish", &[FROM_HOST, TO_HOST]),
    ("channels/incoming", &[TO_HOST, FROM_HOST]),
    ("channels/typing", &[FROM_HOST]),
    ("channels/acknowledge", &[FROM_HOST]),
    ("mcpl/manifest", &[FROM_HOST, DECLARED]),
    ("mcpl/manifestChanged", &[DECLARED]),
];

/// What a client sends.
pub(super) const INPUTS: &[Kind] = &[
    Kind {
        name: "arguments of a tool",
        parts: &[asks("tools/call")],
        seen: [true, false, true, true, true],
        whole: true,
        note: "step `toolCallRequest`, also `memoryStore`. `redact` is for answers, and with `arguments` for this, too",
    },
    Kind {
        name: "arguments of a prompt",
        parts: &[asks("prompts/get")],
        seen: ARGUMENTS,
        whole: true,
        note: "no step is about prompts. `redact` with `arguments` covers it",
    },
    Kind {
        name: "URI of a resource that is read",
        parts: &[asks("resources/read")],
        seen: ARGUMENTS,
        whole: true,
        note: "the step `knowledgeRetrieval` comes with the contents",
    },
    Kind {
        name: "URI of a resource in another request",
        parts: &[
            asks("resources/directory/read"),
            asks("resources/subscribe"),
            asks("subscriptions/listen"),
            asks("completion/complete"),
            asks("skills/get"),
        ],
        seen: RULES,
        whole: true,
        note: "the hooks at `resource_pre_fetch`; hooks that ask the user refuse it",
    },
    Kind {
        name: "the end of a subscription",
        parts: &[asks("resources/unsubscribe")],
        seen: NOBODY,
        whole: true,
        note: "it ends what a rule allowed",
    },
    Kind {
        name: "a list's cursor, a task's id, a level of logging",
        parts: &[
            asks("tools/list"),
            asks("prompts/list"),
            asks("resources/list"),
            asks("resources/templates/list"),
            asks("skills/list"),
            asks("tasks/get"),
            asks("tasks/cancel"),
            asks("logging/setLevel"),
        ],
        seen: NOBODY,
        whole: true,
        note: "names and flags of the protocol",
    },
    Kind {
        name: "the value that `completion/complete` completes",
        parts: &[],
        seen: ARGUMENTS,
        whole: true,
        note: "hooks at `completion_pre_fetch`; list hooks hold for the item that it names. `redact` with `arguments` covers it",
    },
    Kind {
        name: "`inputResponses` to a question of your own tool, prompt or resource",
        parts: &[],
        seen: [true, false, true, true, false],
        whole: true,
        note: "as `input_responses` of the payload, and for a tool as one more input of the step `toolCallRequest`. Answers to questions of hooks are checked against the question's schema",
    },
    Kind {
        name: "`requestState` of a question of your own",
        parts: &[],
        seen: NOBODY,
        whole: true,
        note: "your tool made it, and checks it",
    },
    Kind {
        name: "`inputResponses` of a task",
        parts: &[asks("tasks/update")],
        seen: NOBODY,
        whole: true,
        note: "your task asked, and your task checks the answer",
    },
    Kind {
        name: "progress of the client",
        parts: &[(ClientNotification, "notifications/progress", Part::Message)],
        seen: NOBODY,
        whole: true,
        note: "it belongs to a request of your server",
    },
    Kind {
        name: "notices of the client without content",
        parts: &[
            (
                ClientNotification,
                "notifications/initialized",
                Part::Message,
            ),
            (
                ClientNotification,
                "notifications/roots/list_changed",
                Part::Message,
            ),
        ],
        seen: NOBODY,
        whole: true,
        note: "no content",
    },
    Kind {
        name: "answers to `sampling/createMessage`, `elicitation/create` and `roots/list`",
        parts: &[
            (ServerRequest, "sampling/createMessage", Part::Answer),
            (ServerRequest, "elicitation/create", Part::Answer),
            (ServerRequest, "roots/list", Part::Answer),
        ],
        seen: NOBODY,
        whole: true,
        note: "your tool asked, and your tool checks the answer",
    },
    Kind {
        name: "custom requests and notifications of the client",
        parts: &[],
        seen: NOBODY,
        whole: true,
        note: "MCP does not define them; your `on_custom_request` and `on_custom_notification` check them",
    },
    Kind {
        name: FROM_HOST,
        parts: &[],
        seen: NOBODY,
        whole: true,
        note: "your hooks and tools read them, if the host has enabled their [feature set](../mcpl/feature-sets.md)",
    },
    Kind {
        name: "MCPL: `state` that a host brings back with a call",
        parts: &[],
        seen: [false, false, false, true, false],
        whole: true,
        note: "one more input of the step `toolCallRequest`, which the guardian cannot change: the state is the server's own, and your [`load`](../mcpl/state.md#declare-a-state) checks it",
    },
    Kind {
        name: "`_meta` of a request",
        parts: &[],
        seen: [true, false, false, false, false],
        whole: true,
        note: "hooks read it in `global.metadata[\"request\"]`, and for a resource also in `metadata` of the payload, which the limit counts",
    },
    Kind {
        name: "headers and body of an HTTP request",
        parts: &[],
        seen: [true, false, true, false, false],
        whole: false,
        note: "hooks at `http_pre_request` see the headers. The body is the message, which has a line of its own here",
    },
    Kind {
        name: "the client's part of the handshake",
        parts: &[asks("initialize"), asks("server/discover")],
        seen: NOBODY,
        whole: false,
        note: "",
    },
    Kind {
        name: "a client's `ping`, its answer to the server's, and cancellations",
        parts: &[
            asks("ping"),
            (ServerRequest, "ping", Part::Answer),
            (ClientNotification, "notifications/cancelled", Part::Message),
        ],
        seen: NOBODY,
        whole: false,
        note: "they have no content: an answer with content is asked about, and the `reason` of a cancellation is dropped where a guardian sees messages of the client",
    },
];
