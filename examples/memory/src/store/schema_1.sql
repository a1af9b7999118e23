-- The columns that searches filter and sort by stand first: a long content moves what follows it to
-- other pages.
CREATE TABLE memory (
    seq           INTEGER PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,
    project       TEXT    NOT NULL,
    created_at    INTEGER NOT NULL, -- milliseconds since 1970, UTC
    updated_at    INTEGER NOT NULL,
    superseded_by TEXT,
    fingerprint   INTEGER NOT NULL, -- of the bag of words: finds exact copies at any size
    source        TEXT    NOT NULL,
    tags          TEXT    NOT NULL, -- a JSON array, sorted
    content       TEXT    NOT NULL
) STRICT;

CREATE INDEX memory_by_time ON memory (project, created_at);
CREATE INDEX memory_by_fingerprint ON memory (project, fingerprint);
CREATE INDEX memory_by_successor ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE VIRTUAL TABLE memory_text USING fts5 (
    content, tags,
    content = 'memory', content_rowid = 'seq',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

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
