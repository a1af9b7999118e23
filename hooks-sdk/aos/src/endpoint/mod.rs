//! A guardian over HTTP: its settings, and how it is served.

mod answer;
mod serve;
mod setting;

pub use self::answer::Endpoint;
pub use self::setting::GuardianServer;
