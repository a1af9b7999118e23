//! The body shim: carries over HTTP what rmcp's types drop.
