//! The host's model, and the tokens that an inference used.

objects! {
    /// The model that a host runs.
    ///
    /// Implements MCPL 0.4.1 §12.2, the answer to `model/info`: every member is required.
    pub struct ModelInfo {
        /// The model's name.
        id: String,
        /// The maker of the model.
        vendor: String,
        /// The most tokens that it can read.
        context_window: u64,
        /// What the model can do, in the host's words.
        capabilities: Vec<String> = Vec::new(),

        /// Makes a model without capabilities.
        fn new(id: impl Into<String>, vendor: impl Into<String>, context_window: u64);
    }
}

impl ModelInfo {
    /// Adds a word for something that the model can do.
    #[must_use]
    pub fn capability(mut self, word: impl Into<String>) -> ModelInfo {
        self.capabilities.push(word.into());
        self
    }
}

objects! {
    /// The model, as the params of a hook describe it. The host may omit each member.
    ///
    /// Implements MCPL 0.4.1 §10.1 and §10.5. What a host leaves out here costs the server a detail, not the
    /// turn: every member is optional, unlike those of [`ModelInfo`].
    #[derive(Default)]
    pub struct CurrentModel {
        /// The model's name.
        id?: String,
        /// The maker of the model.
        vendor?: String,
        /// The most tokens that it can read.
        context_window?: u64,
        /// What the model can do, in the host's words.
        capabilities?: Vec<String>,
    }
}

impl From<ModelInfo> for CurrentModel {
    fn from(model: ModelInfo) -> CurrentModel {
        CurrentModel {
            id: Some(model.id),
            vendor: Some(model.vendor),
            context_window: Some(model.context_window),
            capabilities: Some(model.capabilities),
            other: model.other,
        }
    }
}

objects! {
    /// The tokens that an inference used.
    ///
    /// Implements MCPL 0.4.1 §10.5 and §11.3.
    #[derive(Default)]
    pub struct Usage {
        /// The tokens read; 0 if the host omits it.
        input_tokens: u64 = default,
        /// The tokens written; 0 if the host omits it.
        output_tokens: u64 = default,

        /// Makes the usage from tokens read and written.
        fn new(input_tokens: u64, output_tokens: u64) { input_tokens: input_tokens, output_tokens: output_tokens };
    }
}
