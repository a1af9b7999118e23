//! Reminders: made by the agent, and pushed to the host when they are due.

use std::time::{Duration, SystemTime};

use hooks_sdk::{
    mcpl::{Call, Enabled, EventId, Host, Push, Pushed, shielded},
    prelude::*,
};
use jiff::Timestamp;
use rmcp::{handler::server::common::Extension, model::CallToolResult, tool, tool_router};
use serde_json::{Map, json};

use crate::{
    Memory,
    args::{CancelReminder, OfProject, RemindMe},
    extract::{Arguments, schema},
    mcpl::{conversations::whose, sets::Proactive},
    render,
    store::{Error, Reminder},
};

/// How long at most until the database is looked at again: other processes make reminders too.
const LOOK: Duration = Duration::from_secs(30);

#[hooks_sdk::hooks]
#[tool_router(router = reminder_tools, vis = "pub(crate)")]
impl Memory {
    /// Pushes what is due, for as long as the host has the set enabled: the task ends when it has not.
    #[mcpl::hook(enabled, feature_set = Proactive)]
    async fn push_reminders(&self, enabled: &Enabled, cx: &mcpl::Context) {
        let owner = whose(cx.principal(), cx.host_name(), self.user());
        loop {
            // From here on a new reminder is not missed.
            let made = self.kept().reminded.notified();
            tokio::pin!(made);
            made.as_mut().enable();
            let wait = match self.push_due(enabled.host(), &owner).await {
                Ok(wait) => wait.min(LOOK),
                Err(error) => {
                    tracing::warn!(%error, "reminders are looked at again later");
                    LOOK
                }
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = made => {}
            }
        }
    }

    /// Set a reminder for a time to come. A client that speaks MCPL is told when it is due; in others
    /// `list_reminders` shows it.
    #[tool(
        input_schema = schema::<RemindMe>(),
        annotations(title = "Set a reminder", destructive_hint = false, open_world_hint = false)
    )]
    async fn remind_me(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<RemindMe>,
    ) -> Result<CallToolResult, Error> {
        let RemindMe { project, text, at } = given?;
        let reminder = self
            .store()
            .remind(&self.owner(&call), &project, &text, &at)
            .await?;
        self.kept().reminded.notify_waiters();
        let is_pushed = call.host().is_enabled::<Proactive>();
        Ok(render::reminder_set(&reminder, is_pushed))
    }

    /// List the reminders of a project that nobody was told of yet, the soonest first.
    #[tool(
        input_schema = schema::<OfProject>(),
        annotations(title = "List reminders", read_only_hint = true, open_world_hint = false)
    )]
    async fn list_reminders(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<OfProject>,
    ) -> Result<CallToolResult, Error> {
        let OfProject { project } = given?;
        let reminders = self.store().reminders(&self.owner(&call), &project).await?;
        Ok(render::reminders(&project, &reminders, Timestamp::now()))
    }

    /// Cancel a reminder.
    #[tool(
        input_schema = schema::<CancelReminder>(),
        annotations(title = "Cancel a reminder", destructive_hint = true, open_world_hint = false)
    )]
    async fn cancel_reminder(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<CancelReminder>,
    ) -> Result<CallToolResult, Error> {
        let CancelReminder {
            project,
            reminder_id,
        } = given?;
        let reminder = self
            .store()
            .cancel_reminder(&self.owner(&call), &project, &reminder_id)
            .await?;
        Ok(render::reminder_cancelled(&reminder))
    }
}

impl Memory {
    /// Whose reminders a call means.
    fn owner(&self, call: &Call) -> String {
        whose(call.principal(), call.host_name(), self.user())
    }

    /// Pushes what is due now; how long until the next is.
    async fn push_due(&self, host: &Host, owner: &str) -> Result<Duration, Error> {
        loop {
            let Some(next) = self.store().next_reminder(owner).await? else {
                return Ok(LOOK);
            };
            let wait =
                Duration::try_from(next.duration_since(Timestamp::now())).unwrap_or_default();
            if !wait.is_zero() {
                return Ok(wait);
            }
            // Claimed one by one, so that a slow host holds up none for another process.
            if let Some(reminder) = self.store().claim_reminder(owner).await? {
                self.push(host, &reminder).await?;
            }
        }
    }

    /// A reminder that the host did not take comes back by itself when its claim ends, under the same event id.
    async fn push(&self, host: &Host, reminder: &Reminder) -> Result<(), Error> {
        match host.push::<Proactive>(&event(reminder)).await {
            Ok(Pushed::Accepted(_) | Pushed::Duplicate(_)) => {
                self.store().reminder_delivered(&reminder.id).await?;
            }
            Ok(refused) => tracing::info!(?refused, id = reminder.id, "a reminder was not taken"),
            Err(error) => tracing::info!(%error, id = reminder.id, "a reminder was not pushed"),
        }
        Ok(())
    }
}

fn event(reminder: &Reminder) -> Push {
    let id = EventId::of(format_args!("reminder {}", reminder.id), reminder.due_at);
    let origin = [
        ("server", json!("memory")),
        ("memoryId", json!(reminder.id)),
        ("project", json!(reminder.project)),
    ];
    let origin = origin.map(|(name, value)| (name.to_owned(), value));
    Push::new(id, shielded(&reminder.text).into_owned())
        .at(SystemTime::from(reminder.due_at))
        .origin(Map::from_iter(origin))
}
