//! Locks that stay usable after a panic in another thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, even if it is poisoned. The data under these locks is consistent after every statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
