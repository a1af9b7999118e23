//! The configuration files of clients, edited so that nothing of the user's is lost.
