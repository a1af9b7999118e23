//! Reminders: texts that are due at a moment, and whether a host has taken them.

use jiff::Timestamp;
use rusqlite::{Row, ToSql};
use uuid::Uuid;

use super::{Store, check, database::Db, error::Error, record::moment, write::now};

/// How long a reminder that was taken is kept, in milliseconds.
const KEPT: i64 = 30 * 24 * 60 * 60 * 1000;

const COLUMNS: &str = "id, project, text, created_at, due_at, attempts, delivered_at";

/// A text that is due at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reminder {
    /// The id, unique over all projects.
    pub id: String,
    /// The project it belongs to.
    pub project: String,
    /// What is to be said.
    pub text: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it is to be said.
    pub due_at: Timestamp,
    /// How often it was pushed.
    pub attempts: u32,
    /// When a host took it.
    pub delivered_at: Option<Timestamp>,
}

impl Reminder {
    fn read(row: &Row<'_>) -> Result<Self, Error> {
        let delivered: Option<i64> = row.get(6)?;
        Ok(Self {
            id: row.get(0)?,
            project: row.get(1)?,
            text: row.get(2)?,
            created_at: moment(row.get(3)?)?,
            due_at: moment(row.get(4)?)?,
            attempts: u32::try_from(row.get::<_, i64>(5)?).unwrap_or(u32::MAX),
            delivered_at: delivered.map(moment).transpose()?,
        })
    }
}

/// An owner, and the owner under whom a query looks as well.
struct Owners(String, String);

impl Owners {
    /// An earlier version kept no owner. What it kept is for hosts of a server that tells no users apart.
    fn of(owner: &str) -> Self {
        let is_one_user = owner.starts_with("host:") && !owner.contains('#');
        let earlier = if is_one_user { "" } else { owner };
        Self(owner.to_owned(), earlier.to_owned())
    }
}

impl Store {
    /// Keeps a reminder of `owner` for a moment to come, in RFC 3339 with its offset.
    ///
    /// # Errors
    ///
    /// When the input is out of bounds, the moment is past, too many wait, or the database fails.
    pub async fn remind(
        &self,
        owner: &str,
        project: &str,
        text: &str,
        at: &str,
    ) -> Result<Reminder, Error> {
        let (now, owner) = (now(), owner.to_owned());
        let reminder = Reminder {
            id: Uuid::now_v7().to_string(),
            project: check::project(project)?,
            text: check::reminder(text)?,
            created_at: now,
            due_at: check::due(at, now)?,
            attempts: 0,
            delivered_at: None,
        };
        self.run(move |db| {
            let transaction = db.begin()?;
            let waiting = Db(&transaction).number(
                "SELECT count(*) FROM reminder WHERE owner = ?1 AND project = ?2 AND delivered_at IS NULL",
                &[&owner, &reminder.project],
            )?;
            let waiting = usize::try_from(waiting).unwrap_or_default();
            if waiting >= check::MAX_REMINDERS {
                return Err(Error::refused(
                    format!("`{}` has {waiting} reminders already", reminder.project),
                    "cancel those that are no longer wanted with `cancel_reminder`",
                ));
            }
            Db(&transaction).execute(
                "DELETE FROM reminder WHERE delivered_at < ?1",
                &[&(now.as_millisecond() - KEPT)],
            )?;
            Db(&transaction).execute(
                "INSERT INTO reminder (id, project, text, created_at, due_at, next_attempt, attempts, owner)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0, ?6)",
                &[
                    &reminder.id,
                    &reminder.project,
                    &reminder.text,
                    &now.as_millisecond(),
                    &reminder.due_at.as_millisecond(),
                    &owner,
                ],
            )?;
            transaction.commit()?;
            Ok(reminder)
        })
        .await
    }

    /// The reminders of `owner` in a project that no host has taken, the soonest first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn reminders(&self, owner: &str, project: &str) -> Result<Vec<Reminder>, Error> {
        let (owners, project) = (Owners::of(owner), check::project(project)?);
        self.run(move |db| {
            let sql = format!(
                "SELECT {COLUMNS} FROM reminder
                 WHERE project = ?1 AND owner IN (?2, ?3) AND delivered_at IS NULL
                 ORDER BY due_at, seq"
            );
            let Owners(owner, earlier) = &owners;
            db.all(&sql, &[&project, owner, earlier], Reminder::read)
        })
        .await
    }

    /// Removes a reminder of `owner` that no host has taken, and returns what it was.
    ///
    /// # Errors
    ///
    /// When there is none such, or the database fails.
    pub async fn cancel_reminder(
        &self,
        owner: &str,
        project: &str,
        id: &str,
    ) -> Result<Reminder, Error> {
        let owners = Owners::of(owner);
        let (project, id) = (check::project(project)?, check::reminder_id(id)?);
        self.run(move |db| {
            let sql = format!(
                "DELETE FROM reminder WHERE id = ?1 AND project = ?2 AND owner IN (?3, ?4)
                     AND delivered_at IS NULL
                 RETURNING {COLUMNS}"
            );
            let Owners(owner, earlier) = &owners;
            let with: [&dyn ToSql; 4] = [&id, &project, owner, earlier];
            let cancelled = db.first(&sql, &with, Reminder::read)?;
            cancelled.ok_or_else(|| {
                Error::refused(
                    format!("no reminder `{id}` waits in project `{project}`"),
                    "take the ID from an answer of `list_reminders`",
                )
            })
        })
        .await
    }

    /// The moment at which the next reminder of `owner` is to be pushed, if one waits.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn next_reminder(&self, owner: &str) -> Result<Option<Timestamp>, Error> {
        let owners = Owners::of(owner);
        let next: Option<i64> = self
            .run(move |db| {
                let sql = "SELECT min(next_attempt) FROM reminder
                           WHERE owner IN (?1, ?2) AND delivered_at IS NULL";
                let Owners(owner, earlier) = &owners;
                Ok(db
                    .first(sql, &[owner, earlier], |row| Ok(row.get(0)?))?
                    .flatten())
            })
            .await?;
        // A moment that jiff does not know is none that comes.
        Ok(next.and_then(|next| Timestamp::from_millisecond(next).ok()))
    }

    /// Takes a reminder of `owner` that is due, so that for [a while](super::Options::retry_after) nobody else does.
    ///
    /// Unless it is said to be [delivered](Store::reminder_delivered) it is due again afterwards.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn claim_reminder(&self, owner: &str) -> Result<Option<Reminder>, Error> {
        let owners = Owners::of(owner);
        let wait =
            i64::try_from(self.file.options().retry_after.as_millis()).unwrap_or(i64::MAX / 128);
        self.run(move |db| {
            let sql = format!(
                "UPDATE reminder
                 SET next_attempt = ?1 + (?2 << min(attempts, 6)),
                     attempts = attempts + 1
                 WHERE seq = (
                     SELECT seq FROM reminder
                     WHERE owner IN (?3, ?4) AND delivered_at IS NULL AND next_attempt <= ?1
                     ORDER BY next_attempt, seq LIMIT 1
                 )
                 RETURNING {COLUMNS}"
            );
            let Owners(owner, earlier) = &owners;
            let with: [&dyn ToSql; 4] = [&now().as_millisecond(), &wait, owner, earlier];
            db.first(&sql, &with, Reminder::read)
        })
        .await
    }

    /// A host has taken a reminder: it is not pushed again.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn reminder_delivered(&self, id: &str) -> Result<(), Error> {
        let id = id.to_owned();
        self.run(move |db| {
            db.execute(
                "UPDATE reminder SET delivered_at = ?2 WHERE id = ?1 AND delivered_at IS NULL",
                &[&id, &now().as_millisecond()],
            )?;
            Ok(())
        })
        .await
    }
}
