//! A plain round-robin proxy: each request goes to the next replica.

use std::{
    env,
    io::{self, Write},
};

use axum::Router;
use axum_reverse_proxy::BalancedProxy;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let replicas: Vec<String> = env::args().skip(1).collect();
    anyhow::ensure!(!replicas.is_empty(), "give the URL of each replica");
    let router: Router = BalancedProxy::new("/".to_owned(), replicas).into();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stdout(), "http://{}", listener.local_addr()?)?;
    axum::serve(listener, router).await?;
    Ok(())
}
