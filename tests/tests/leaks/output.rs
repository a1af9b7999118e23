//! Every place in which an answer, a notification or a question of a server can carry a text.

use crate::judge::By;

/// The places, and the list of them.
macro_rules! outputs {
    ($($(#[$words:meta])* $output:ident,)+) => {
        /// One place that leaves for the client.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Output {
            $($(#[$words])* $output,)+
        }

        impl Output {
            pub(crate) const ALL: &[Output] = &[$(Output::$output),+];
        }
    };
}

outputs! {
    ToolText,
    ToolFailed,
    ToolStructured,
    ToolRepeated,
    BlockMeta,
    ResultMeta,
    Link,
    Embedded,
    /// In a text, and in the `_meta` of another block.
    TextAndMeta,
    /// In structured content that looks like the base64 of an image and of a blob.
    LikeMedia,
    ErrorMessage,
    ErrorData,
    /// Members that the SDK itself uses to carry what rmcp's types lack.
    Lift,
    /// The member that gives a client the handle of its session.
    Handle,
    /// The state of an MCPL call, which the client brings back.
    State,
    /// A text in memory, with an image beside it and the same text in `structuredContent`.
    Memory,
    AskMeta,
    AskState,
    AskMessage,
    AskSampling,
    CreatedStatus,
    CreatedMeta,
    TaskText,
    TaskOdd,
    TaskFailedMessage,
    TaskFailedData,
    TaskQuestion,
    TaskStatus,
    NotedText,
    NotedOdd,
    NotedFailed,
    NotedStatus,
    Progress,
    Log,
    Note,
    Question,
    /// The URI of a resource that is hidden.
    Updated,
    /// What stands beside the URI of a resource that has changed.
    UpdatedMeta,
    PromptText,
    PromptDescription,
    PromptMeta,
    PromptErrorMessage,
    PromptErrorData,
    PromptAsk,
    ResourceText,
    /// In a text, and in the `_meta` of another content.
    ContentsAndMeta,
    ContentsMeta,
    ResourceMeta,
    ResourceErrorMessage,
    ResourceErrorData,
    ResourceAsk,
    ResourceLift,
    Completion,
    CompletionError,
    ListedTool,
    ListedPrompt,
    ListedResource,
    ListedTemplate,
    ListError,
    Directory,
    SubscribeError,
    CustomResult,
    CustomError,
    /// What an MCPL host is sent and asked, beside an answer.
    Pushed,
    Inferred,
    Channel,
    Incoming,
    /// What an MCPL host puts before its turn.
    Injected,
}

use Output::*;

impl Output {
    /// Whether only a connection with a handshake carries it to the client.
    pub(crate) fn needs_handshake(self) -> bool {
        matches!(
            self,
            Question | Pushed | Inferred | Channel | Incoming | Injected
        )
    }

    /// The request that brings the output about.
    pub(crate) fn method(self) -> &'static str {
        match self {
            PromptText | PromptDescription | PromptMeta | PromptErrorMessage | PromptErrorData
            | PromptAsk => "prompts/get",
            ResourceText | ContentsAndMeta | ContentsMeta | ResourceMeta | ResourceErrorMessage
            | ResourceErrorData | ResourceAsk | ResourceLift => "resources/read",
            Completion | CompletionError => "completion/complete",
            ListedTool | ListError => "tools/list",
            ListedPrompt => "prompts/list",
            ListedResource => "resources/list",
            ListedTemplate => "resources/templates/list",
            Directory => "resources/directory/read",
            SubscribeError => "resources/subscribe",
            CustomResult | CustomError => "desk/custom",
            Injected => "context/beforeInference",
            _ => "tools/call",
        }
    }

    /// Whether the output comes with a task that is fetched later.
    pub(crate) fn is_late(self) -> bool {
        use Output::*;
        matches!(
            self,
            TaskText | TaskOdd | TaskFailedMessage | TaskFailedData | TaskQuestion | TaskStatus
        )
    }

    /// Returns whether one of the judges sees the output.
    pub(crate) fn is_covered(self, by: &[By]) -> bool {
        by.iter().any(|by| exemption(*by, self).is_none())
    }
}

/// Returns why a judge does not see an output.
fn exemption(by: By, output: Output) -> Option<&'static str> {
    if by == By::Memory && output != Memory {
        return Some("only what a tool retrieved from memory is shown");
    }
    let mut rows = EXEMPT.iter();
    rows.find(|row| row.by == by && row.outputs.contains(&output))
        .map(|row| row.why)
}

/// What a judge does not see.
struct Exempt {
    by: By,
    outputs: &'static [Output],
    why: &'static str,
}

/// Everything that may leave unseen. An output that is in no row must be seen.
const EXEMPT: &[Exempt] = &[
    Exempt {
        by: By::Redact,
        outputs: &[
            ListedTool,
            ListedPrompt,
            ListedResource,
            ListedTemplate,
            Directory,
        ],
        why: "lists are the author's own texts; a list hook changes them",
    },
    Exempt {
        by: By::Redact,
        outputs: &[Updated],
        why: "the client subscribed to the URI, and knows it",
    },
    Exempt {
        by: By::Steps,
        outputs: &[
            Progress,
            Log,
            Note,
            Question,
            Updated,
            UpdatedMeta,
            ListedTool,
            ListedPrompt,
            ListedResource,
            ListedTemplate,
            ListError,
            Directory,
            Completion,
            CompletionError,
            SubscribeError,
            CustomResult,
            CustomError,
            Pushed,
            Inferred,
            Channel,
            Incoming,
            Injected,
            PromptText,
            PromptDescription,
            PromptMeta,
            PromptErrorMessage,
            PromptErrorData,
            PromptAsk,
        ],
        why: "the document has no step for it; whole messages show it",
    },
    Exempt {
        by: By::Steps,
        outputs: &[BlockMeta, ResultMeta, ContentsMeta, ResourceMeta],
        why: "a step has the texts of a result; its `_meta` goes with a change, and an allowed one stays",
    },
];
