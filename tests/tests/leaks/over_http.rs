//! A client over HTTP, whose responses are read byte by byte, at one server or at two replicas.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use axum::serve::Listener;
use bytes::Bytes;
use hooks_sdk::{Hooked, http, store::MemoryStore};
use hooks_tests::client::mcp_request;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    io::{DuplexStream, duplex},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
};

use crate::{author::Author, seen::Seen};

/// A listener whose connections are pipes.
struct Pipes(UnboundedReceiver<DuplexStream>);

impl Listener for Pipes {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(pipe) => (pipe, ()),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A response that is being read.
struct Reading {
    task: JoinHandle<()>,
    within: Option<usize>,
    is_done: Arc<AtomicBool>,
}

pub(crate) struct Http {
    servers: Vec<UnboundedSender<DuplexStream>>,
    serving: Vec<JoinHandle<()>>,
    readings: Vec<Reading>,
    session: Option<String>,
    version: &'static str,
    seen: Seen,
    /// The requests that were refused by their status.
    pub(crate) refused: Arc<Mutex<Vec<usize>>>,
}

impl Http {
    pub(crate) fn open(servers: Vec<Hooked<Author>>, version: &'static str, seen: Seen) -> Http {
        let store = (servers.len() > 1).then(|| Arc::new(MemoryStore::default()));
        let (mut pipes, mut serving) = (Vec::new(), Vec::new());
        for hooked in servers {
            let (sender, receiver) = unbounded_channel();
            let mut server = http::Server::new(hooked);
            if let Some(store) = &store {
                server = server.store(store.clone());
            }
            pipes.push(sender);
            serving.push(tokio::spawn(async move {
                let served = server
                    .serve_on(Pipes(receiver), std::future::pending())
                    .await;
                served.expect("sound settings");
            }));
        }
        Http {
            servers: pipes,
            serving,
            readings: Vec::new(),
            session: None,
            version,
            seen,
            refused: Arc::default(),
        }
    }

    /// Sends a request when the future is polled.
    fn request(
        &self,
        at: u8,
        method: Method,
        message: &Value,
    ) -> impl Future<Output = Option<Response<Incoming>>> + Send + use<> {
        let request = mcp_request(method, self.version, self.session.as_deref(), message)
            .header("host", "localhost");
        let body = match message {
            Value::Null => String::new(),
            message => message.to_string(),
        };
        let request = request
            .body(Full::new(Bytes::from(body)))
            .expect("a request");
        let (ours, theirs) = duplex(64 * 1024);
        let server = &self.servers[usize::from(at) % self.servers.len()];
        server.send(theirs).expect("a server");
        async move {
            let shaken = hyper::client::conn::http1::handshake(TokioIo::new(ours)).await;
            let (mut sender, connection) = shaken.expect("HTTP");
            tokio::spawn(connection);
            sender.send_request(request).await.ok()
        }
    }

    /// Posts a message. Its response is read beside what comes next.
    pub(crate) async fn post(&mut self, at: u8, message: &Value, within: Option<usize>) {
        let response = self.request(at, Method::POST, message);
        self.read(response, within);
        turns().await;
    }

    /// Opens the session.
    pub(crate) async fn shake(&mut self, message: &Value) {
        let response = self.request(0, Method::POST, message).await;
        let response = response.expect("a handshake");
        let session = response.headers().get("mcp-session-id");
        self.session = session.map(|id| id.to_str().expect("text").to_owned());
        self.read(std::future::ready(Some(response)), None);
    }

    /// Opens the session's own stream at each replica.
    pub(crate) async fn listen(&mut self) {
        for at in 0..self.servers.len() as u8 {
            let response = self.request(at, Method::GET, &Value::Null);
            self.read(response, None);
            turns().await;
        }
    }

    fn read(
        &mut self,
        response: impl Future<Output = Option<Response<Incoming>>> + Send + 'static,
        within: Option<usize>,
    ) {
        let (seen, refused) = (self.seen.clone(), self.refused.clone());
        let is_done = Arc::new(AtomicBool::new(false));
        let done = is_done.clone();
        let task = tokio::spawn(async move {
            if let Some(response) = response.await {
                read_all(response, within, &seen, &refused).await;
            }
            done.store(true, Ordering::SeqCst);
            seen.changes();
        });
        self.readings.push(Reading {
            task,
            within,
            is_done,
        });
    }

    /// Gives the responses to this request up.
    pub(crate) fn give_up(&mut self, within: usize) {
        for reading in &self.readings {
            if reading.within == Some(within) {
                reading.task.abort();
                reading.is_done.store(true, Ordering::SeqCst);
            }
        }
    }

    /// Whether the response to a request is over.
    pub(crate) fn done(&self) -> Vec<(usize, Arc<AtomicBool>)> {
        let of = |reading: &Reading| Some((reading.within?, reading.is_done.clone()));
        self.readings.iter().filter_map(of).collect()
    }

    /// Ends the session, and reads what still comes.
    pub(crate) async fn end(&mut self) {
        if self.session.is_some() {
            self.request(0, Method::DELETE, &Value::Null).await;
        }
        turns().await;
        for reading in &self.readings {
            reading.task.abort();
        }
        for serving in &self.serving {
            serving.abort();
        }
    }
}

/// Gives the server's tasks some turns.
async fn turns() {
    for _ in 0..40 {
        tokio::task::yield_now().await;
    }
}

/// Reads a response line by line.
async fn read_all(
    response: Response<Incoming>,
    within: Option<usize>,
    seen: &Seen,
    refused: &Mutex<Vec<usize>>,
) {
    let is_refused = !response.status().is_success();
    let heads = format!("{:?}", response.headers());
    seen.add(heads.as_bytes(), within);
    let mut body = response.into_body();
    let mut rest = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        rest.extend_from_slice(&frame.into_data().unwrap_or_default());
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            if line.len() > 1 {
                seen.add(&line, within);
            }
        }
    }
    if !rest.is_empty() {
        seen.add(&rest, within);
    }
    if is_refused {
        refused.lock().unwrap().extend(within);
    }
}
