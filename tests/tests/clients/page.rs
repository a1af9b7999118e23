//! The book's page about clients says what the adapters do.
