//! Everything that left the server, as it came.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::sync::Notify;

/// A message of the server, or bytes that are none.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) raw: Vec<u8>,
    pub(crate) message: Value,
    /// The number of the request in whose response it came, over HTTP.
    pub(crate) within: Option<usize>,
}

#[derive(Clone, Default)]
pub(crate) struct Seen {
    all: Arc<Mutex<Vec<Left>>>,
    changed: Arc<Notify>,
}

impl Seen {
    pub(crate) fn add(&self, raw: &[u8], within: Option<usize>) {
        let text = String::from_utf8_lossy(raw);
        let text = text.strip_prefix("data:").unwrap_or(&text).trim();
        let message = serde_json::from_str(text).unwrap_or_default();
        let raw = raw.to_vec();
        self.all.lock().unwrap().push(Left {
            raw,
            message,
            within,
        });
        self.changed.notify_waiters();
    }

    pub(crate) fn changes(&self) {
        self.changed.notify_waiters();
    }

    pub(crate) fn all(&self) -> Vec<Left> {
        self.all.lock().unwrap().clone()
    }

    /// Waits until something is so.
    pub(crate) async fn until(&self, mut is_so: impl FnMut(&[Left]) -> bool) -> bool {
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if is_so(&self.all.lock().unwrap()) {
                    return;
                }
                changed.await;
            }
        };
        tokio::time::timeout(crate::PATIENCE, waiting).await.is_ok()
    }
}

impl Left {
    pub(crate) fn is_answer(&self) -> bool {
        self.message.get("method").is_none()
            && (self.message.get("result").is_some() || self.message.get("error").is_some())
    }

    pub(crate) fn is_question(&self) -> bool {
        self.message.get("method").is_some() && self.message.get("id").is_some()
    }

    /// The numbers of the plans that the message says it is about.
    pub(crate) fn numbers(&self) -> Vec<usize> {
        let text = self.message.to_string();
        let parts = text.split("n=").skip(1);
        let number = |part: &str| part.split_once(';')?.0.parse().ok();
        parts.filter_map(number).collect()
    }
}
