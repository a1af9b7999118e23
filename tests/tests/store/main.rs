//! Stores for many replicas: their contract, run against real databases, and databases that fail.

mod servers;
