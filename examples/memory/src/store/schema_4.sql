-- Whose a reminder is: only this owner's hosts are told of it. It is empty where an earlier version made the reminder.
ALTER TABLE reminder ADD COLUMN owner TEXT NOT NULL DEFAULT '';

DROP INDEX reminder_by_attempt;
CREATE INDEX reminder_by_attempt ON reminder (owner, next_attempt) WHERE delivered_at IS NULL;
