//! The pool of connections to PostgreSQL.

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, Timeouts,
};
use tokio::time::timeout;
use tokio_postgres::{
    Config, Row,
    config::{Host, SslMode, TargetSessionAttrs},
    types::ToSql,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::store::{
    StoreError,
    shared::{self, PATIENCE},
};

/// The largest number of connections of one process.
const MOST_CONNECTIONS: usize = 16;

/// Returns the address of the URL, with limits on all that may take long.
pub(super) fn config(url: &str) -> Result<Config, StoreError> {
    let config: Result<Config, _> = url.parse();
    let mut config = config.map_err(|error| shared::unreachable(&error))?;
    config.connect_timeout(PATIENCE);
    config.tcp_user_timeout(PATIENCE * 2);
    // After a failover, an old address may lead to a server that takes no writes.
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    if config.get_application_name().is_none() {
        config.application_name("hooks-sdk");
    }
    let given = config.get_options().unwrap_or_default();
    let options = format!("-cstatement_timeout={} {given}", PATIENCE.as_millis());
    config.options(options.trim());
    // `prefer` is the default. On this computer, servers have certificates that nobody signed.
    if config.get_ssl_mode() == SslMode::Prefer && is_local(&config) {
        config.ssl_mode(SslMode::Disable);
    }
    Ok(config)
}

fn is_local(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name
                    .parse()
                    .is_ok_and(|address: std::net::IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

/// Makes what connects with TLS, with the certificates that the operating system trusts.
pub(super) fn tls(config: &Config) -> Result<MakeRustlsConnect, StoreError> {
    let tls = crate::tls::tls(config.get_ssl_mode() != SslMode::Disable);
    let tls = tls.map_err(|error| shared::unreachable(&error))?;
    Ok(MakeRustlsConnect::new(tls))
}

pub(super) fn pool(config: Config, tls: MakeRustlsConnect) -> Result<Pool, StoreError> {
    let settings = ManagerConfig {
        recycling_method: RecyclingMethod::Fast,
    };
    let pool = Pool::builder(Manager::from_config(config, tls, settings))
        .max_size(MOST_CONNECTIONS)
        .timeouts(Timeouts {
            wait: Some(PATIENCE),
            create: Some(PATIENCE),
            recycle: Some(PATIENCE),
        })
        .runtime(Runtime::Tokio1)
        .build();
    pool.map_err(|error| shared::unreachable(&error))
}

/// Takes a connection from the pool.
pub(super) async fn connection(pool: &Pool) -> Result<Object, StoreError> {
    pool.get().await.map_err(|error| match &error {
        // Its own text holds the text of the error, but no cause of it.
        PoolError::Backend(error) => shared::unreachable(error),
        error => shared::unreachable(error),
    })
}

/// Runs one statement. A statement takes at most 2 seconds.
pub(super) async fn query(
    pool: &Pool,
    sql: &str,
    parameters: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Row>, StoreError> {
    let client = connection(pool).await?;
    let done = timeout(PATIENCE + PATIENCE / 2, async {
        let statement = client.prepare_cached(sql).await?;
        client.query(&statement, parameters).await
    });
    let error = match done.await {
        Ok(Ok(rows)) => return Ok(rows),
        Ok(Err(error)) => shared::unreachable(&error),
        Err(_) => StoreError::unreachable(format!("PostgreSQL did not answer within {PATIENCE:?}")),
    };
    // The next statement on this connection would wait for the same server, or meet the same error.
    drop(Object::take(client));
    Err(error)
}
