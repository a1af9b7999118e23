//! The transport of HTTP: what rmcp's types drop arrives and goes back, on both generations, as JSON and as events.

mod desk;
mod ids;
mod malformed;
mod members;
mod notifications;
mod order;
mod restore;
mod streams;
