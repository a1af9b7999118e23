//! The login of a server: good and wrong tokens, the keys of issuers, scopes, principals, and what nobody may see.

mod card;
mod issuers;
mod metadata;
mod opaque;
mod people;
mod rig;
mod scopes;
mod secrecy;
mod streams;
mod tokens;
