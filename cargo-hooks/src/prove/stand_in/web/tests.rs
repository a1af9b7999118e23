//! Pages that are fetched through the stand-in.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

use super::{super::*, *};

/// Opens a connection to another host through the stand-in.
async fn through(address: std::net::SocketAddr, host: &str) -> tokio::net::TcpStream {
    let mut stream = tokio::net::TcpStream::connect(address)
        .await
        .expect("connected");
    let head = format!("CONNECT {host} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(stream.read_u8().await.expect("an answer"));
    }
    assert!(answer.starts_with(b"HTTP/1.1 200 "), "{answer:?}");
    stream
}

async fn fetched(
    mut stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    target: &str,
) {
    let head = format!("GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    // A peer may end TLS without a word.
    _ = stream.read_to_end(&mut answer).await;
    assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"), "{answer:?}");
}

#[tokio::test]
async fn pages_of_other_hosts_are_fetched_through_it_also_behind_tls() {
    let listener = listen(0).await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let stand_in = StandIn::serve(listener, Dialect::Chat, Vec::new(), None);

    let direct = tokio::net::TcpStream::connect(address)
        .await
        .expect("connected");
    fetched(direct, &format!("{UNASSIGNED_PAGE}/by-proxy")).await;
    fetched(through(address, "[4000::1]:80").await, "/by-tunnel").await;

    let certificate = CertificateDer::from_pem_slice(page_certificate().as_bytes());
    let mut roots = RootCertStore::empty();
    roots
        .add(certificate.expect("a certificate"))
        .expect("trusted");
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let config = ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(PAGE_HOST).expect("a name");
    let stream = through(address, &format!("{PAGE_HOST}:443")).await;
    let stream = TlsConnector::from(std::sync::Arc::new(config)).connect(name, stream);
    fetched(stream.await.expect("a handshake"), "/behind-tls").await;

    let paths = stand_in.log().fetched.clone();
    assert_eq!(paths, ["/by-proxy", "/by-tunnel", "/behind-tls"]);
}
