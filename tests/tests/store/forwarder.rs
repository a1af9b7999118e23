//! A TCP forwarder in front of a database, which a test switches to another one.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// Forwards each connection to the present target. When the target changes, all connections end.
pub(crate) struct Forwarder {
    address: SocketAddr,
    target: Arc<Mutex<u16>>,
    switched: watch::Sender<()>,
    task: JoinHandle<()>,
}

impl Forwarder {
    pub(crate) async fn to(port: u16) -> Forwarder {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let target = Arc::new(Mutex::new(port));
        let switched = watch::Sender::new(());
        let (now, switches) = (target.clone(), switched.clone());
        let task = tokio::spawn(async move {
            while let Ok((mut from, _)) = listener.accept().await {
                let port = *now.lock().unwrap();
                let mut switch = switches.subscribe();
                tokio::spawn(async move {
                    let Ok(mut to) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await else {
                        return;
                    };
                    tokio::select! {
                        _ = copy_bidirectional(&mut from, &mut to) => {}
                        _ = switch.changed() => {}
                    }
                });
            }
        });
        Forwarder {
            address,
            target,
            switched,
            task,
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn switch(&self, port: u16) {
        *self.target.lock().unwrap() = port;
        self.switched.send_replace(());
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.task.abort();
    }
}
