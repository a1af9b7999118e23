//! The URL of a database: what it says, and how it is shown without the password.

use std::path::PathBuf;

use tokio_postgres::{Config, config::Host};

use crate::store::{database::Database, error::Error};

/// What a URL says.
pub(super) struct Address {
    pub(super) config: Config,
    /// As it may be shown.
    pub(super) database: Database,
    /// `sslrootcert`: the authorities that the server's certificate is checked against, as a PEM file.
    pub(super) authorities: Option<PathBuf>,
}

/// Reads a URL; no error shows any part of it, since any part may be one of the password.
pub(super) fn read(url: &str) -> Result<Address, Error> {
    let refused = |what: String| {
        Error::refused(
            what,
            "write `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; in a password, write `@` as `%40`, `:` as `%3A` and `/` as `%2F`",
        )
    };
    let (url, authorities) = for_driver(url);
    let config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
        let why = error.into_source();
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        refused(format!(
            "the PostgreSQL URL of the database cannot be read{why}"
        ))
    })?;
    let mut shown = String::from("postgres://");
    if let Some(user) = config.get_user() {
        shown.push_str(user);
        shown.push('@');
    }
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    if hosts.iter().any(|host| host.contains('@')) {
        return Err(refused(
            "the PostgreSQL URL of the database has more than one `@`".to_owned(),
        ));
    }
    shown.push_str(&hosts.join(","));
    if let [port] = config.get_ports()
        && *port != 5432
    {
        shown.push_str(&format!(":{port}"));
    }
    shown.push('/');
    shown.push_str(config.get_dbname().unwrap_or_default());
    Ok(Address {
        config,
        database: Database::Server(shown),
        authorities,
    })
}

/// The URL as the driver reads it, which knows neither `sslrootcert` nor the modes that check certificates: here they are
/// always checked.
fn for_driver(url: &str) -> (String, Option<PathBuf>) {
    let Some((address, options)) = url.split_once('?') else {
        return (url.to_owned(), None);
    };
    let mut authorities = None;
    let mut kept = Vec::new();
    for option in options.split('&') {
        match option.split_once('=') {
            Some(("sslrootcert", file)) => authorities = Some(file.replace("%2F", "/").into()),
            Some(("sslmode", "verify-ca" | "verify-full")) => kept.push("sslmode=require"),
            _ => kept.push(option),
        }
    }
    (format!("{address}?{}", kept.join("&")), authorities)
}

fn host(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(folder) => folder.display().to_string().replace('/', "%2F"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_never_shown() {
        for (url, shown) in [
            (
                "postgres://me:s3cret@db.example:6000/m",
                "postgres://me@db.example:6000/m",
            ),
            (
                "postgresql://me:s%40cret@a,b/m?sslmode=require",
                "postgres://me@a,b/m",
            ),
            (
                "postgres://me@%2Frun%2Fpg/m?password=s3cret",
                "postgres://me@%2Frun%2Fpg/m",
            ),
        ] {
            let read = read(url).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read.database.to_string(), shown);
        }
        for url in [
            "postgres://me:s3@cret@db/m",
            "postgres://me:s3cret@db:port/m",
            "postgres://me:s3cret@db/m?sslmode=x",
        ] {
            let said = read(url).err().expect("an error").to_string();
            assert!(!said.contains("s3") && !said.contains("cret"), "{said}");
            assert!(said.contains("\nhelp: "), "{said}");
        }
    }

    #[test]
    fn the_options_of_tls_are_those_of_other_clients() {
        let url =
            "postgres://me@db/m?sslmode=verify-full&sslrootcert=/etc/ca.pem&connect_timeout=3";
        let (url, authorities) = for_driver(url);
        assert_eq!(url, "postgres://me@db/m?sslmode=require&connect_timeout=3");
        assert_eq!(authorities, Some("/etc/ca.pem".into()));
    }
}
