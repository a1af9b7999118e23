//! What fired, kept on this machine: for cool-downs and for statistics.
