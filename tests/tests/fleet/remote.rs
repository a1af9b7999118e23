//! A store of the simulation: a host keeps the entries, and replicas reach it over the simulated network.

use std::{io, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use hooks_sdk::store::{Bytes, EntryVersion, Key, MemoryStore, Store, StoreError, Stored, Swap};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};
use turmoil::net::{TcpListener, TcpStream};

/// The host that keeps the entries.
pub(crate) const HOST: &str = "store";
const PORT: u16 = 6379;

/// How long a replica waits for the store.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Deserialize, Serialize)]
enum Request {
    Load(Vec<u8>),
    Swap(Vec<u8>, Option<u64>, Vec<u8>, u64),
    Delete(Vec<u8>, Option<u64>),
}

type Entry = (Vec<u8>, u64, u64);

#[derive(Deserialize, Serialize)]
enum Answer {
    Found(Option<Entry>),
    Done(u64),
    Conflict(Option<Entry>),
    Nothing,
    Failed(String),
}

/// Answers replicas. The entries outlive the host, as those of a store with a disk.
pub(crate) async fn serve(store: Arc<MemoryStore>) -> io::Result<()> {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        let store = store.clone();
        tokio::spawn(async move {
            // A replica that breaks off asks again.
            if let Ok(request) = receive::<Request>(&mut stream).await {
                let answer = answer(&store, request).await;
                let answer = answer.unwrap_or_else(|error| Answer::Failed(error.to_string()));
                _ = send(&mut stream, &answer).await;
            }
        });
    }
}

async fn answer(store: &MemoryStore, request: Request) -> Result<Answer, StoreError> {
    let entry = |found: Stored| {
        let left = found.left.as_millis() as u64;
        (found.bytes.as_slice().to_vec(), found.version.0, left)
    };
    let ttl = Duration::from_millis;
    Ok(match request {
        Request::Load(key) => Answer::Found(store.load(&Key::new(&key)).await?.map(entry)),
        Request::Swap(key, expected, bytes, left) => {
            let (key, bytes) = (Key::new(&key), Bytes::from(&*bytes));
            let expected = expected.map(EntryVersion);
            match store
                .compare_and_swap(&key, expected, bytes, ttl(left))
                .await?
            {
                Swap::Done(version) => Answer::Done(version.0),
                Swap::Conflict(found) => Answer::Conflict(found.map(entry)),
            }
        }
        Request::Delete(key, version) => {
            store
                .delete(&Key::new(&key), version.map(EntryVersion))
                .await?;
            Answer::Nothing
        }
    })
}

async fn send(stream: &mut TcpStream, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    stream.write_u32(text.len() as u32).await?;
    stream.write_all(&text).await
}

async fn receive<T: DeserializeOwned>(stream: &mut TcpStream) -> io::Result<T> {
    let mut text = vec![0; stream.read_u32().await? as usize];
    stream.read_exact(&mut text).await?;
    Ok(serde_json::from_slice(&text)?)
}

/// The store as a replica sees it.
#[derive(Clone)]
pub(crate) struct RemoteStore;

impl RemoteStore {
    async fn ask(&self, request: Request) -> Result<Answer, StoreError> {
        let asked = async {
            let mut stream = TcpStream::connect((HOST, PORT)).await?;
            send(&mut stream, &request).await?;
            receive(&mut stream).await
        };
        match timeout(PATIENCE, asked).await {
            Ok(Ok(Answer::Failed(why))) => Err(StoreError::unreachable(why)),
            Ok(answer) => answer.map_err(StoreError::unreachable),
            Err(late) => Err(StoreError::unreachable(late)),
        }
    }
}

fn stored((bytes, version, left): Entry) -> Stored {
    Stored {
        bytes: Bytes::from(&*bytes),
        version: EntryVersion(version),
        left: Duration::from_millis(left),
    }
}

fn misplaced() -> StoreError {
    StoreError::unreachable("an answer to another request")
}

impl Store for RemoteStore {
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        Box::pin(async move {
            let request = Request::Load(key.as_slice().to_vec());
            match self.ask(request).await? {
                Answer::Found(found) => Ok(found.map(stored)),
                _ => Err(misplaced()),
            }
        })
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        Box::pin(async move {
            let (key, bytes) = (key.as_slice().to_vec(), bytes.as_slice().to_vec());
            let expected = expected.map(|version| version.0);
            let request = Request::Swap(key, expected, bytes, ttl.as_millis() as u64);
            match self.ask(request).await? {
                Answer::Done(version) => Ok(Swap::Done(EntryVersion(version))),
                Answer::Conflict(found) => Ok(Swap::Conflict(found.map(stored))),
                _ => Err(misplaced()),
            }
        })
    }

    fn delete<'a>(
        &'a self,
        key: &'a Key,
        version: Option<EntryVersion>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let version = version.map(|version| version.0);
            let request = Request::Delete(key.as_slice().to_vec(), version);
            self.ask(request).await.map(|_| ())
        })
    }
}
