//! The URL of a database: what it says, and how it is shown without the password.

use tokio_postgres::{Config, config::Host};

use crate::store::{database::Database, error::Error};

/// Reads a URL; no error shows any part of it, since any part may be one of the password.
pub(super) fn read(url: &str) -> Result<(Config, Database), Error> {
    let refused = |what: String| {
        Error::refused(
            what,
            "write `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; in a password, write `@` as `%40`, `:` as `%3A` and `/` as `%2F`",
        )
    };
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
    Ok((config, Database::Server(shown)))
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
            let (_, database) = read(url).unwrap();
            assert_eq!(database.to_string(), shown);
        }
        for url in [
            "postgres://me:s3@cret@db/m",
            "postgres://me:s3cret@db:port/m",
            "postgres://me:s3cret@db/m?sslmode=x",
        ] {
            let said = read(url).unwrap_err().to_string();
            assert!(!said.contains("s3") && !said.contains("cret"), "{said}");
            assert!(said.contains("\nhelp: "), "{said}");
        }
    }
}
