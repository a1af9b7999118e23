//! A guardian with TLS, whose certificate an authority of our own has signed.

use std::{env, path::Path, process::Command, sync::Arc};

use hooks_sdk::aos::{FailureClass, Posture, StepOutcome};
use hooks_tests::certificates::certificates;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use super::{
    ask, client_of, fails,
    stand_in::{Question, StandIn},
};

/// Holds the address for the process that trusts the authority.
const ADDRESS: &str = "HOOKS_TESTS_GUARDIAN";

/// The part of the next test that runs in a process of its own: the trusted authorities stand in its environment.
#[tokio::test]
async fn trusted() {
    let Ok(url) = env::var(ADDRESS) else {
        return;
    };
    let client = client_of(&url).posture(Posture::Deny);
    client.check().unwrap();
    for _ in 0..3 {
        assert_eq!(ask(&client).await, StepOutcome::Allowed);
    }
    // The certificate is not one for this name.
    let other = url.replace("127.0.0.1", "[::ffff:127.0.0.1]");
    fails(client_of(&other), FailureClass::Unreachable).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signed_certificate_is_needed_and_enough() {
    let folder = tempfile::tempdir().unwrap();
    if !certificates(folder.path()) {
        eprintln!("skipped: `openssl` is not on the PATH, or older than 3.0");
        return;
    }
    let guardian = StandIn::start(Question::allow).await;
    let url = serve(folder.path(), guardian.address().to_string()).await;
    fails(client_of(&url), FailureClass::Unreachable).await;
    assert!(guardian.questions().is_empty());

    let authority = folder.path().join("ca.crt");
    let trusting = tokio::task::spawn_blocking(move || {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "observed::tls::trusted", "--nocapture"])
            .env("SSL_CERT_FILE", authority)
            .env(ADDRESS, url)
            .output()
            .unwrap()
    });
    let trusting = trusting.await.unwrap();
    let said = String::from_utf8_lossy(&trusting.stderr);
    assert!(trusting.status.success(), "{said}");
    assert_eq!(guardian.questions().len(), 3, "{said}");
    assert_eq!(guardian.connections(), 1);
}

/// Ends TLS in front of a guardian, and returns the URL.
async fn serve(folder: &Path, to: String) -> String {
    let certificate = CertificateDer::from_pem_file(folder.join("server.crt")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/aos", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, to) = (acceptor.clone(), to.clone());
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    return;
                };
                let mut plain = TcpStream::connect(&to).await.expect("the guardian");
                _ = tokio::io::copy_bidirectional(&mut stream, &mut plain).await;
            });
        }
    });
    url
}
