//! A plain round-robin proxy: each request goes to the next replica. SIGUSR1 cuts every connection that a client has open.

use std::{
    env,
    io::{self, Write},
};

use axum::Router;
use axum_reverse_proxy::BalancedProxy;
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    sync::watch,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let replicas: Vec<String> = env::args().skip(1).collect();
    anyhow::ensure!(!replicas.is_empty(), "give the URL of each replica");
    let router: Router = BalancedProxy::new("/".to_owned(), replicas).into();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut cuts = signal(SignalKind::user_defined1())?;
    writeln!(io::stdout(), "http://{}", listener.local_addr()?)?;
    let cut = watch::Sender::new(());
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted?.0,
            _ = cuts.recv() => {
                cut.send_replace(());
                continue;
            }
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        let mut cut = cut.subscribe();
        tokio::spawn(async move {
            tokio::select! {
                // A client that goes away is no error of the proxy.
                _ = connection => {}
                _ = cut.changed() => {}
            }
        });
    }
}
