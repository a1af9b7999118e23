//! What PostgreSQL says, as the kinds of trouble that the store knows.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use crate::store::error::{Error, Trouble};

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(state) = error.code() else {
            // Without an answer of the server's: it is not there, or no longer.
            let cause = error.source().map(|cause| format!(": {cause}"));
            let said = format!("{error}{}", cause.unwrap_or_default());
            let is_ours =
                said.starts_with("error serializing") || said.starts_with("error deserializing");
            let kind = if is_ours {
                Trouble::Other
            } else {
                Trouble::Unreachable
            };
            return Error::caused(kind, said);
        };
        if *state == SqlState::CHARACTER_NOT_IN_REPERTOIRE {
            return Error::refused(
                "a text has a NUL character, which PostgreSQL does not keep",
                "remove it",
            );
        }
        let kind = kind(state);
        // Without the detail, which may quote what is stored.
        let said = error.as_db_error().map(|said| said.message().to_owned());
        Error::caused(kind, said.unwrap_or_else(|| state.code().to_owned()))
    }
}

fn kind(state: &SqlState) -> Trouble {
    match state.code() {
        // lock_not_available, serialization_failure, deadlock_detected
        "55P03" | "40001" | "40P01" => Trouble::Locked,
        // read_only_sql_transaction, insufficient_privilege
        "25006" | "42501" => Trouble::ReadOnly,
        "53100" => Trouble::Full,
        // invalid_catalog_name: there is no such database. too_many_connections
        "3D000" | "53300" => Trouble::Unreachable,
        // The server refuses the user, or is going away or coming.
        code if ["08", "28", "57"].contains(&code.get(..2).unwrap_or_default()) => {
            Trouble::Unreachable
        }
        code if code.starts_with("XX") => Trouble::Corrupt,
        _ => Trouble::Other,
    }
}
