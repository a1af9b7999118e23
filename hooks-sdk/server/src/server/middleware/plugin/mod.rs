//! Plugin hooks over rmcp: the chain around calls, prompts and resources, questions to the user, and list hooks.

mod active;
mod ask;
mod built;
#[cfg(test)]
mod chain_tests;
mod chained;
mod cleaning;
mod global;
mod headers;
#[cfg(feature = "http")]
mod http;
mod item;
mod judged;
mod known;
mod lists;
mod lists_middleware;
#[cfg(feature = "log")]
mod logged;
mod middleware;
mod outer;
#[cfg(feature = "cli")]
mod parts;
mod policy;
mod post;
mod pre;
mod recheck;
mod refusal;
#[cfg(feature = "oauth")]
mod scopes;
mod spellings;
mod state;
mod templates;

macro_rules! files {
    ($($kind:ident $family:ident $(in $file:ident)?;)+) => {
        $($(mod $file;)?)+
    };
}
crate::server::methods::points!(files);

#[cfg(feature = "cli")]
pub use self::parts::ChainParts;
pub use self::policy::Policy;
pub(crate) use self::{built::Built, chained::PluginRequest};
#[cfg(feature = "http")]
pub(crate) use self::{headers::text as header_text, http::HttpPoints, outer::OuterContexts};
