//! The seam between the rules of the store and its databases: statements, rows and transactions of either.

use std::{
    fmt,
    ops::Deref,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, TransactionBehavior, types};

#[cfg(feature = "postgres")]
use super::postgres;
use super::{error::Error, record::Record};

/// Where memories are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Database {
    /// A SQLite file.
    File(PathBuf),
    /// A database of a PostgreSQL server: its URL without the password.
    Server(String),
}

impl Database {
    /// What a path or a URL names.
    #[must_use]
    pub fn of(name: &Path) -> Self {
        if !is_url(name) {
            return Self::File(name.to_owned());
        }
        #[cfg(feature = "postgres")]
        if let Ok(shown) = postgres::shown(&name.to_string_lossy()) {
            return shown;
        }
        Self::Server("postgres://…".to_owned())
    }
}

/// Whether a database's name is a URL and no path.
#[must_use]
pub fn is_url(name: &Path) -> bool {
    after_scheme(name).is_some()
}

/// Whether a database's name is a URL with a password.
#[must_use]
pub fn has_password(name: &Path) -> bool {
    // As much as could be one: a password that is not escaped may have any character.
    after_scheme(name).is_some_and(|rest| {
        let user = rest.rsplit_once('@').map(|(user, _)| user);
        user.is_some_and(|user| user.contains(':')) || rest.contains("password=")
    })
}

fn after_scheme(name: &Path) -> Option<&str> {
    let (scheme, rest) = name.to_str()?.split_once("://")?;
    ["postgres", "postgresql"].contains(&scheme).then_some(rest)
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(url) => f.write_str(url),
        }
    }
}

/// A value that a statement is given.
#[cfg(not(feature = "postgres"))]
pub(super) trait Value: types::ToSql {}
#[cfg(not(feature = "postgres"))]
impl<T: types::ToSql> Value for T {}

/// A value that a statement is given.
#[cfg(feature = "postgres")]
pub(super) trait Value: types::ToSql + tokio_postgres::types::ToSql {}
#[cfg(feature = "postgres")]
impl<T: types::ToSql + tokio_postgres::types::ToSql> Value for T {}

/// A value that a column has.
#[cfg(not(feature = "postgres"))]
pub(super) trait Column: types::FromSql {}
#[cfg(not(feature = "postgres"))]
impl<T: types::FromSql> Column for T {}

/// A value that a column has.
#[cfg(feature = "postgres")]
pub(super) trait Column:
    types::FromSql + for<'r> tokio_postgres::types::FromSql<'r>
{
}
#[cfg(feature = "postgres")]
impl<T: types::FromSql + for<'r> tokio_postgres::types::FromSql<'r>> Column for T {}

/// A row of an answer.
pub(super) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    #[cfg(feature = "postgres")]
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    pub(super) fn get<T: Column>(&self, column: usize) -> Result<T, Error> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            #[cfg(feature = "postgres")]
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }
}

/// A connection, in a transaction or not.
///
/// Statements number their values `?1`, `?2` … for either database.
#[derive(Clone, Copy)]
pub(super) enum Db<'c> {
    Sqlite(&'c Connection),
    #[cfg(feature = "postgres")]
    Postgres(&'c postgres::Session),
}

impl<'c> Db<'c> {
    /// Runs a statement, and returns how many rows it changed.
    pub(super) fn execute(self, sql: &str, values: &[&dyn Value]) -> Result<usize, Error> {
        match self {
            Self::Sqlite(db) => Ok(db.prepare_cached(sql)?.execute(&*of_sqlite(values))?),
            #[cfg(feature = "postgres")]
            Self::Postgres(session) => session.execute(sql, values),
        }
    }

    /// Shows the rows of an answer one by one, until there are no more or `see` returns `false`.
    pub(super) fn each(
        self,
        sql: &str,
        values: &[&dyn Value],
        mut see: impl FnMut(&Row<'_>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        match self {
            Self::Sqlite(db) => {
                let mut statement = db.prepare_cached(sql)?;
                let mut rows = statement.query(&*of_sqlite(values))?;
                while let Some(row) = rows.next()? {
                    if !see(&Row::Sqlite(row))? {
                        break;
                    }
                }
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(session) => session.each(sql, values, |row| see(&Row::Postgres(row))),
        }
    }

    pub(super) fn all<T>(
        self,
        sql: &str,
        values: &[&dyn Value],
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        self.each(sql, values, |row| {
            all.push(read(row)?);
            Ok(true)
        })?;
        Ok(all)
    }

    pub(super) fn first<T>(
        self,
        sql: &str,
        values: &[&dyn Value],
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut first = None;
        self.each(sql, values, |row| {
            first = Some(read(row)?);
            Ok(false)
        })?;
        Ok(first)
    }

    /// A number that the statement always finds.
    pub(super) fn number(self, sql: &str, values: &[&dyn Value]) -> Result<i64, Error> {
        let found = self.first(sql, values, |row| row.get(0))?;
        Ok(found.unwrap_or_default())
    }

    /// The strings of a JSON array, as the column `value` of a table `t`.
    pub(super) fn strings_of(self, array: &str) -> String {
        match self {
            Self::Sqlite(_) => format!("json_each({array}) t"),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => postgres::strings_of(array),
        }
    }

    /// Ends a `SELECT` in a single statement that changes what it selects, so that no two select the same.
    pub(super) fn without_those_of_others(self) -> &'static str {
        match self {
            // One writes at a time.
            Self::Sqlite(_) => "",
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => "FOR UPDATE SKIP LOCKED",
        }
    }

    /// Brings the search index up to date with a memory; SQLite does it by triggers.
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables))]
    pub(super) fn index(self, record: &Record) -> Result<(), Error> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => postgres::index(self, record),
        }
    }

    /// Begins to write. A write transaction takes its lock at once: one that waits in the middle could not be retried.
    pub(super) fn begin(self) -> Result<Transaction<'c>, Error> {
        match self {
            Self::Sqlite(db) => {
                let begun =
                    rusqlite::Transaction::new_unchecked(db, TransactionBehavior::Immediate);
                Ok(Transaction::Sqlite(begun?))
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(session) => Ok(Transaction::Postgres(session.begin()?)),
        }
    }
}

fn of_sqlite<'v>(values: &[&'v dyn Value]) -> Vec<&'v dyn types::ToSql> {
    values.iter().map(|value| *value as _).collect()
}

/// Writes that are made together at the commit, or not at all.
pub(super) enum Transaction<'c> {
    Sqlite(rusqlite::Transaction<'c>),
    #[cfg(feature = "postgres")]
    Postgres(postgres::Transaction<'c>),
}

impl Transaction<'_> {
    pub(super) fn db(&self) -> Db<'_> {
        match self {
            Self::Sqlite(transaction) => Db::Sqlite(transaction.deref()),
            #[cfg(feature = "postgres")]
            Self::Postgres(transaction) => Db::Postgres(transaction.session()),
        }
    }

    pub(super) fn commit(self) -> Result<(), Error> {
        match self {
            Self::Sqlite(transaction) => Ok(transaction.commit()?),
            #[cfg(feature = "postgres")]
            Self::Postgres(transaction) => transaction.commit(),
        }
    }
}
