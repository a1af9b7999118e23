//! A guardian over HTTP: its settings, and how it is served.

mod endpoint;
mod serve;
mod setting;

pub use self::endpoint::Endpoint;
pub use self::setting::GuardianServer;
