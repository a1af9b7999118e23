//! A guardian that answers as a test wants: with raw bytes, over a real socket.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use hooks_sdk::aos::Received;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// A question as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The request line and the headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Value,
    /// From 0, over all connections.
    pub(crate) number: usize,
}

impl Question {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let start = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(&start))
    }

    fn answer(&self, result: Value) -> String {
        json!({ "jsonrpc": "2.0", "id": self.body["id"], "result": result }).to_string()
    }

    pub(crate) fn allow(&self) -> Act {
        Act::json(self.answer(json!({ "decision": "allow", "message": "fine" })))
    }

    pub(crate) fn deny(&self) -> Act {
        Act::json(self.answer(json!({
            "decision": "deny",
            "message": "no text messages at night",
            "reasoning": "it is 3 o'clock",
            "reasonCode": ["QUIET_HOURS"],
            "data": { "until": 7 },
        })))
    }

    /// Answers with the request, changed.
    pub(crate) fn modify(&self, change: impl FnOnce(&mut Value)) -> Act {
        let mut modified = self.body.clone();
        change(&mut modified);
        let result = json!({
            "decision": "modify",
            "message": "redacted",
            "modifiedRequest": modified,
        });
        Act::json(self.answer(result))
    }
}

/// What the guardian does with a question.
pub(crate) enum Act {
    /// Writes this, and reads the next question.
    Answer(Vec<u8>),
    /// Writes this, and closes the connection.
    Close(Vec<u8>),
    /// Writes this again and again, until nobody reads it.
    Endless(Vec<u8>, Vec<u8>),
    /// Writes this, and then one byte every few milliseconds.
    Drip(Vec<u8>, u8),
    /// Does nothing until the client closes the connection.
    Hang(Vec<u8>),
    /// Waits, and then goes on.
    After(BoxFuture<'static, ()>, Box<Act>),
}

impl Act {
    pub(crate) fn json(body: impl AsRef<[u8]>) -> Act {
        Act::http("200 OK", "content-type: application/json\r\n", body)
    }

    /// An answer with its length and these further headers.
    pub(crate) fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Act {
        let body = body.as_ref();
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n");
        Act::Answer([head.as_bytes(), body].concat())
    }
}

type Script = dyn Fn(&Question) -> Act + Send + Sync;

/// The guardian. It ends with this value, and the test fails if a question was none that a guardian reads.
pub(crate) struct StandIn {
    address: SocketAddr,
    seen: Arc<Seen>,
    connections: JoinSet<()>,
}

#[derive(Default)]
struct Seen {
    questions: Mutex<Vec<Question>>,
    /// What was wrong with questions.
    faults: Mutex<Vec<String>>,
    connections: AtomicUsize,
    /// Questions under way, now and at most.
    open: Mutex<(usize, usize)>,
}

impl StandIn {
    pub(crate) async fn start(
        script: impl Fn(&Question) -> Act + Send + Sync + 'static,
    ) -> StandIn {
        StandIn::start_at(([127, 0, 0, 1], 0).into(), script).await
    }

    pub(crate) async fn start_at(
        address: SocketAddr,
        script: impl Fn(&Question) -> Act + Send + Sync + 'static,
    ) -> StandIn {
        let listener = TcpListener::bind(address).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::<Seen>::default();
        let mut connections = JoinSet::new();
        connections.spawn(accept(listener, Arc::new(script), Arc::clone(&seen)));
        StandIn {
            address,
            seen,
            connections,
        }
    }

    /// Ends the guardian, and waits until its connections are closed.
    pub(crate) async fn stop(mut self) {
        self.connections.shutdown().await;
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/aos", self.address)
    }

    /// Returns the questions so far.
    pub(crate) fn questions(&self) -> Vec<Question> {
        self.seen.questions.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Returns how many questions were under way at once, at most.
    pub(crate) fn most_at_once(&self) -> usize {
        self.seen.open.lock().unwrap().1
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let faults = std::mem::take(&mut *self.seen.faults.lock().unwrap());
        // A test that fails already says why.
        if !std::thread::panicking() {
            assert!(faults.is_empty(), "{}", faults.join("\n"));
        }
    }
}

async fn accept(listener: TcpListener, script: Arc<Script>, seen: Arc<Seen>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        seen.connections.fetch_add(1, Ordering::SeqCst);
        let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
        connections.spawn(async move {
            // A client that closes its connection ends the conversation.
            _ = converse(stream, &*script, &seen).await;
        });
    }
}

async fn converse(stream: TcpStream, script: &Script, seen: &Seen) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await? == 0 {
                return Ok(());
            }
        }
        head.make_ascii_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![
            0;
            length
                .and_then(|length| length.parse().ok())
                .expect("a length")
        ];
        stream.read_exact(&mut body).await?;
        // The reader of our own guardian, which refuses each malformed question of the vectors.
        if let Err(bad) = Received::read(&body) {
            let fault = format!("{bad:?}: {}", String::from_utf8_lossy(&body));
            seen.faults.lock().unwrap().push(fault);
        }
        let question = {
            let mut questions = seen.questions.lock().unwrap();
            let question = Question {
                head,
                body: serde_json::from_slice(&body).expect("JSON"),
                number: questions.len(),
            };
            questions.push(question.clone());
            question
        };
        {
            let mut open = seen.open.lock().unwrap();
            open.0 += 1;
            open.1 = open.1.max(open.0);
        }
        let mut act = script(&question);
        while let Act::After(event, then) = act {
            event.await;
            act = *then;
        }
        seen.open.lock().unwrap().0 -= 1;
        match act {
            Act::Answer(bytes) => stream.write_all(&bytes).await?,
            Act::Close(bytes) => return stream.write_all(&bytes).await,
            Act::Endless(head, again) => {
                stream.write_all(&head).await?;
                loop {
                    stream.write_all(&again).await?;
                    tokio::task::yield_now().await;
                }
            }
            Act::Drip(head, byte) => {
                stream.write_all(&head).await?;
                loop {
                    stream.write_all(&[byte]).await?;
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
            Act::Hang(bytes) => {
                stream.write_all(&bytes).await?;
                _ = stream.read(&mut [0]).await?;
                return Ok(());
            }
            Act::After(..) => unreachable!("it was awaited"),
        }
    }
}
