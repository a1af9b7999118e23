-- A memory of a conversation is for that conversation alone. The column stands before the long ones, which
-- `ALTER TABLE … ADD COLUMN` could not do. The search index keeps to the row numbers, which stay.
CREATE TABLE memory_3 (
    seq           INTEGER PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,
    project       TEXT    NOT NULL,
    created_at    INTEGER NOT NULL, -- milliseconds since 1970, UTC
    updated_at    INTEGER NOT NULL,
    superseded_by TEXT,
    conversation  TEXT,             -- whose it is; NULL for a memory of the project, which everybody has
    fingerprint   INTEGER NOT NULL, -- of the bag of words: finds exact copies at any size
    source        TEXT    NOT NULL,
    tags          TEXT    NOT NULL, -- a JSON array, sorted
    content       TEXT    NOT NULL
) STRICT;

-- What was learned from turns before says in its source which conversation it is of. What was merged out of
-- several names them all, which no conversation is called: nobody is told of it.
INSERT INTO memory_3 (seq, id, project, created_at, updated_at, superseded_by, conversation, fingerprint, source,
                      tags, content)
    SELECT seq, id, project, created_at, updated_at, superseded_by,
           CASE WHEN project = 'conversations' AND substr(source, 1, 13) = 'conversation '
                THEN substr(source, 14) END,
           fingerprint, source, tags, content
    FROM memory;

DROP TABLE memory;
ALTER TABLE memory_3 RENAME TO memory;

CREATE INDEX memory_by_time ON memory (project, created_at);
CREATE INDEX memory_by_fingerprint ON memory (project, fingerprint);
CREATE INDEX memory_by_successor ON memory (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_by_conversation ON memory (conversation, created_at) WHERE conversation IS NOT NULL;

CREATE TRIGGER memory_text_insert AFTER INSERT ON memory BEGIN
    INSERT INTO memory_text (rowid, content, tags) VALUES (new.seq, new.content, new.tags);
END;

CREATE TRIGGER memory_text_delete AFTER DELETE ON memory BEGIN
    INSERT INTO memory_text (memory_text, rowid, content, tags)
        VALUES ('delete', old.seq, old.content, old.tags);
END;

CREATE TRIGGER memory_text_update AFTER UPDATE OF content, tags ON memory BEGIN
    INSERT INTO memory_text (memory_text, rowid, content, tags)
        VALUES ('delete', old.seq, old.content, old.tags);
    INSERT INTO memory_text (rowid, content, tags) VALUES (new.seq, new.content, new.tags);
END;
