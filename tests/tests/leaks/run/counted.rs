//! Looks at what left: no secret, and an answer for each request.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::Ordering},
};

use serde_json::Value;

use super::{Kind, Play, Wire};
use crate::{secret, seen::Left};

impl Play<'_> {
    /// What has to be answered.
    pub(super) fn strict(&self) -> Vec<Strict> {
        match &self.wire {
            // Which ids it answers is up to rmcp.
            Wire::Stream(_) if self.kind == Kind::StreamUnseen => Vec::new(),
            Wire::Stream(_) => {
                let mut numbers = HashMap::<String, usize>::new();
                for sent in self.sent.iter().filter(|sent| !sent.is_loose) {
                    *numbers.entry(sent.id.to_string()).or_default() += 1;
                }
                let of = |(id, number)| Strict {
                    id,
                    number,
                    done: None,
                };
                numbers.into_iter().map(of).collect()
            }
            Wire::Http(http) => {
                let done = http.done().into_iter();
                let strict = done.filter(|(within, _)| !self.sent[*within].is_loose);
                let of = |(within, done): (usize, Arc<_>)| Strict {
                    id: self.sent[within].id.to_string(),
                    number: 1,
                    done: Some(done),
                };
                strict.map(of).collect()
            }
        }
    }

    /// Looks for the secret in what left, and in what the author heard.
    pub(super) fn look(&self) -> Result<(), String> {
        if let Some(left) = self
            .seen
            .all()
            .iter()
            .find(|left| secret::in_bytes(&left.raw))
        {
            let left = String::from_utf8_lossy(&left.raw);
            return Err(format!("the secret left: {}", left.trim_end()));
        }
        let is_rewritten = |left: &&Left| {
            let state = &left.message["result"]["state"];
            state.to_string().contains("[REDACTED]")
        };
        if let Some(left) = self.seen.all().iter().find(is_rewritten) {
            return Err(format!("a state was rewritten: {}", left.message));
        }
        let heard = self.author.heard.lock().unwrap();
        match heard
            .iter()
            .find(|heard| secret::in_bytes(heard.as_bytes()))
        {
            Some(heard) => Err(format!("the secret reached the author: {heard}")),
            None => Ok(()),
        }
    }

    /// Counts the answers to each request, and looks whose they are.
    pub(super) fn count(&self) -> Result<(), String> {
        let all = self.seen.all();
        match &self.wire {
            Wire::Stream(_) if self.kind == Kind::StreamUnseen => {}
            Wire::Stream(_) => self.count_ids(&all)?,
            Wire::Http(http) => self.count_responses(&all, &http.refused.lock().unwrap())?,
        }
        for left in all.iter().filter(|left| left.is_answer()) {
            let id = &left.message["id"];
            for number in left.numbers() {
                let mut own = self.sent.iter().filter(|sent| sent.id == *id);
                if !own.any(|sent| sent.about == Some(number)) {
                    return Err(format!("the answer to {id} is that of plan {number}"));
                }
            }
        }
        Ok(())
    }

    pub(super) fn count_ids(&self, all: &[Left]) -> Result<(), String> {
        let mut asked = HashMap::<String, (usize, usize)>::new();
        for sent in &self.sent {
            let (strict, most) = asked.entry(sent.id.to_string()).or_default();
            *strict += usize::from(!sent.is_loose);
            *most += 1;
        }
        for (id, (strict, most)) in &asked {
            let answers = all.iter().filter(|left| left.is_answer());
            let number = answers
                .filter(|left| is_id(&left.message["id"], id))
                .count();
            if number < *strict || number > *most {
                return Err(format!(
                    "{number} answers to the {most} requests with the id {id}"
                ));
            }
        }
        let mut answers = all.iter().filter(|left| left.is_answer());
        match answers.find(|left| !asked.contains_key(&left.message["id"].to_string())) {
            Some(left) => Err(format!("an answer that nobody asked for: {}", left.message)),
            None => Ok(()),
        }
    }

    pub(super) fn count_responses(&self, all: &[Left], refused: &[usize]) -> Result<(), String> {
        for (within, sent) in self.sent.iter().enumerate() {
            if sent.is_handshake {
                continue;
            }
            let own = all
                .iter()
                .filter(|left| left.within == Some(within) && left.is_answer());
            let ids: Vec<_> = own.map(|left| &left.message["id"]).collect();
            let is_refused = refused.contains(&within);
            if ids
                .iter()
                .any(|id| **id != sent.id && !(is_refused && id.is_null()))
            {
                return Err(format!(
                    "the response to {} has other answers: {ids:?}",
                    sent.id
                ));
            }
            if ids.len() > 1 || ids.is_empty() && !is_refused && !sent.is_loose {
                return Err(format!("{} answers to {}", ids.len(), sent.id));
            }
        }
        Ok(())
    }
}

/// A request, or all with one id, that must be answered.
pub(super) struct Strict {
    pub(super) id: String,
    number: usize,
    done: Option<Arc<std::sync::atomic::AtomicBool>>,
}

impl Strict {
    pub(super) fn is_done(&self, all: &[Left]) -> bool {
        if let Some(done) = &self.done {
            return done.load(Ordering::SeqCst);
        }
        let answers = all.iter().filter(|left| left.is_answer());
        answers
            .filter(|left| is_id(&left.message["id"], &self.id))
            .count()
            >= self.number
    }
}

/// Returns whether an id is this JSON.
fn is_id(id: &Value, json: &str) -> bool {
    let id = id.to_string();
    id == json
}
