-- Words are compared byte by byte and sorted so, as SQLite does it, whatever the database's own order is.
CREATE TABLE memory (
    seq           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            TEXT   COLLATE "C" NOT NULL UNIQUE,
    project       TEXT   COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL, -- milliseconds since 1970, UTC
    updated_at    BIGINT NOT NULL,
    superseded_by TEXT   COLLATE "C",
    conversation  TEXT   COLLATE "C", -- whose it is; NULL for a memory of the project, which everybody has
    fingerprint   BIGINT NOT NULL, -- of the bag of words: finds exact copies at any size
    source        TEXT   COLLATE "C" NOT NULL,
    tags          TEXT   COLLATE "C" NOT NULL, -- a JSON array, sorted
    content       TEXT   COLLATE "C" NOT NULL
);

CREATE INDEX memory_by_time ON memory (project, created_at);
CREATE INDEX memory_by_fingerprint ON memory (project, fingerprint);
CREATE INDEX memory_by_successor ON memory (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_by_conversation ON memory (conversation, created_at) WHERE conversation IS NOT NULL;

CREATE TABLE memory_text (
    seq   BIGINT PRIMARY KEY REFERENCES memory ON DELETE CASCADE,
    words TSVECTOR NOT NULL -- of the tags with the weight A, of the content with D
);

CREATE INDEX memory_by_word ON memory_text USING gin (words);

-- The stemmer of SQLite's index. PostgreSQL's own configurations leave out words such as `and`, which a query may consist
-- of.
CREATE TEXT SEARCH DICTIONARY stem (TEMPLATE = pg_catalog.snowball, LANGUAGE = porter);
CREATE TEXT SEARCH CONFIGURATION words (PARSER = pg_catalog."default");
ALTER TEXT SEARCH CONFIGURATION words
    ADD MAPPING FOR asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart,
                    int, uint, float, sfloat, version, host, email, file, url, url_path
    WITH stem;

CREATE TABLE reminder (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT   COLLATE "C" NOT NULL UNIQUE,
    project      TEXT   COLLATE "C" NOT NULL,
    text         TEXT   COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL, -- milliseconds since 1970, UTC, like the other times
    due_at       BIGINT NOT NULL,
    next_attempt BIGINT NOT NULL, -- not pushed before; who pushes moves it on first, so that no other does
    attempts     BIGINT NOT NULL,
    delivered_at BIGINT           -- when a host took it
);

CREATE INDEX reminder_by_attempt ON reminder (next_attempt) WHERE delivered_at IS NULL;
CREATE INDEX reminder_by_project ON reminder (project, due_at) WHERE delivered_at IS NULL;

-- The notes of MCPL. The state is the last column, so that the columns before it can be read without it.
CREATE TABLE mcpl_checkpoint (
    number  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tree    TEXT COLLATE "C" NOT NULL,
    id      TEXT COLLATE "C" NOT NULL,
    parent  TEXT COLLATE "C",
    told    BOOLEAN NOT NULL,
    barrier TEXT COLLATE "C",
    reason  TEXT COLLATE "C",
    size    BIGINT NOT NULL,
    state   TEXT COLLATE "C" NOT NULL,
    UNIQUE (tree, id)
);

CREATE INDEX mcpl_checkpoint_by_age ON mcpl_checkpoint (tree, number, size);

CREATE TABLE mcpl_head (
    tree       TEXT COLLATE "C" PRIMARY KEY,
    checkpoint TEXT COLLATE "C" NOT NULL
);
