//! Replicas in one process, without sockets, where time stands still unless a test moves it.
