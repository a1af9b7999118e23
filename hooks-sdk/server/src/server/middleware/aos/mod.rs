//! AOS over rmcp: asks a guardian before and after each call of a tool, and after each reading of a resource.

mod context;
mod copies;
mod leaves;
mod messages;
mod middleware;
mod refusal;
mod request;
mod resource;
mod result;
mod retrieval;
mod serves;
mod texts;
mod unseen;

pub(crate) use self::messages::MessageFilter;
pub(crate) use self::{
    context::ConnectionTexts,
    middleware::{Guarded, GuardedRequest},
    serves::Serves,
};
