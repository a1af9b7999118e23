CREATE TABLE reminder (
    seq          INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE,
    project      TEXT    NOT NULL,
    text         TEXT    NOT NULL,
    created_at   INTEGER NOT NULL, -- milliseconds since 1970, UTC, like the other times
    due_at       INTEGER NOT NULL,
    next_attempt INTEGER NOT NULL, -- not pushed before; who pushes moves it on first, so that no other does
    attempts     INTEGER NOT NULL,
    delivered_at INTEGER           -- when a host took it
) STRICT;

CREATE INDEX reminder_by_attempt ON reminder (next_attempt) WHERE delivered_at IS NULL;
CREATE INDEX reminder_by_project ON reminder (project, due_at) WHERE delivered_at IS NULL;
