//! The memories in PostgreSQL: the same tables, several processes, and a connection for each call.

mod checkpoints;
mod error;
mod schema;
mod search;
mod session;
mod text;
mod url;

use std::{
    env, fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use deadpool_postgres::{Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio::{runtime::Handle, sync::Semaphore};
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    connect::Options,
    database::{Database, Db},
    error::{Error, Trouble},
};

pub(super) use search::{contents, current, index, lexemes, newest, ranked, strings_of};
pub(super) use session::{Session, Transaction};
pub(super) use text::{anywhere, in_content};

/// "mems": the advisory lock of everybody who writes, one after the other as in SQLite.
const LOCK: i64 = 0x6d65_6d73;

/// The most connections of one process.
const CONNECTIONS: usize = 8;

/// A database of a PostgreSQL server.
pub(super) struct Server {
    config: Config,
    tls: MakeRustlsConnect,
    pool: Pool,
    /// Calls wait here for a connection, and hold no thread meanwhile.
    turns: Arc<Semaphore>,
    /// Whether the tables were found to be of this version.
    is_ready: AtomicBool,
    pub(super) database: Database,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.database).finish()
    }
}

impl Server {
    pub(super) fn new(url: &str, options: &Options) -> Result<Self, Error> {
        let url::Address {
            mut config,
            database,
            authorities,
        } = url::read(url)?;
        if config.get_password().is_none()
            && let Ok(password) = env::var("PGPASSWORD")
        {
            config.password(password);
        }
        let patience = options.busy_timeout.max(Duration::from_millis(1));
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(patience);
        }
        if config.get_application_name().is_none() {
            config.application_name(env!("CARGO_PKG_NAME"));
        }
        // A peer that is gone without a word is noticed within half a minute.
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(30));
        }
        // Our tables have a schema of their own, since other programs may use the database.
        let settings = format!(
            "-c search_path=memory_server,pg_catalog -c lock_timeout={} {}",
            patience.as_millis(),
            config.get_options().unwrap_or_default(),
        );
        config.options(settings);
        let tls = tls(authorities.as_deref())?;
        let manager = Manager::from_config(
            config.clone(),
            tls.clone(),
            ManagerConfig {
                // A connection that the server has closed meanwhile is noticed before a call has it.
                recycling_method: RecyclingMethod::Verified,
            },
        );
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .create_timeout(Some(patience))
            .recycle_timeout(Some(patience))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| Error::caused(Trouble::Other, error))?;
        Ok(Self {
            config,
            tls,
            pool,
            turns: Arc::new(Semaphore::new(CONNECTIONS)),
            is_ready: AtomicBool::new(false),
            database,
        })
    }

    /// Connects once, and brings the tables up to date.
    ///
    /// It is done on a thread with a runtime of its own, since the caller may be a task that cannot wait.
    pub(super) fn open(&self) -> Result<(), Error> {
        let connect = async {
            let (client, connection) = self.config.connect(self.tls.clone()).await?;
            let connection = tokio::spawn(connection);
            let outcome = schema::migrate(&client).await;
            drop(client);
            _ = connection.await;
            outcome
        };
        let opened = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = runtime.enable_all().build();
                runtime
                    .map_err(|error| Error::caused(Trouble::Other, error))?
                    .block_on(connect)
            });
            thread.join()
        });
        let opened = opened.unwrap_or_else(|_| Err(Error::storage(Trouble::Other)));
        self.is_ready.store(opened.is_ok(), Ordering::Relaxed);
        opened.map_err(|error| error.at(&self.database))
    }

    /// Runs blocking work on a connection, away from the async threads. The work is finished even if the caller goes
    /// away.
    pub(super) async fn run<T, F>(self: &Arc<Self>, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(Db<'_>) -> Result<T, Error> + Send + 'static,
    {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let server = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let outcome = server.run_blocking(work);
            outcome.map_err(|error| error.at(&server.database))
        });
        done.await.unwrap_or_else(|lost| {
            super::connect::tell_lost(&lost);
            Err(Error::storage(Trouble::Other).at(&self.database))
        })
    }

    /// As [`Server::run`], on a blocking thread of a runtime.
    fn run_blocking<T>(&self, work: impl FnOnce(Db<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let session = self.session()?;
        let outcome = work(Db::Postgres(&session));
        session.end();
        outcome
    }

    fn session(&self) -> Result<Session, Error> {
        let runtime = Handle::current();
        let client = runtime.block_on(async {
            let client = self.pool.get().await.map_err(|error| match error {
                PoolError::Backend(error) => Error::from(error),
                error => Error::caused(Trouble::Unreachable, error),
            })?;
            if !self.is_ready.load(Ordering::Relaxed) {
                schema::migrate(&client).await?;
                self.is_ready.store(true, Ordering::Relaxed);
            }
            Ok::<_, Error>(client)
        })?;
        Ok(Session::new(client, runtime))
    }
}

/// The URL of a database as it may be shown.
pub(super) fn shown(url: &str) -> Result<Database, Error> {
    url::read(url).map(|address| address.database)
}

/// Certificates are always checked: against the authorities in a file, or those of the web.
fn tls(authorities: Option<&Path>) -> Result<MakeRustlsConnect, Error> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(file) => {
            let read = CertificateDer::pem_file_iter(file)
                .and_then(|all| all.collect::<Result<Vec<_>, _>>());
            let read = read.map_err(|error| {
                Error::refused(
                    format!("`sslrootcert` ({}) cannot be read: {error}", file.display()),
                    "name a file of certificates in the PEM format",
                )
            })?;
            roots.add_parsable_certificates(read);
        }
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
    }
    let config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::caused(Trouble::Other, error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
