//! Many replicas of one server: sessions, events and answers that cross processes.
