//! The tables of `control.db`, version by version.

/// The migrations: the first makes version 1 of an empty file, each further one the next version. A migration is never
/// changed once it was released.
pub(crate) const STEPS: &[&str] = &[V1];

/// Marks a SQLite file as a chancery store: `CHAN`.
pub(crate) const APPLICATION: i32 = 0x4348_414e;

const V1: &str = "
    CREATE TABLE policy (revision INTEGER NOT NULL) STRICT;
    INSERT INTO policy VALUES (1);

    CREATE TABLE tokens (
        id TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, principal TEXT NOT NULL, role TEXT NOT NULL, scopes TEXT NOT NULL,
        created_by TEXT NOT NULL, created_at INTEGER NOT NULL, expires INTEGER, revoked_by TEXT, revoked_at INTEGER
    ) STRICT;

    -- A tool of '' is none: the grant is about the whole server. `of_tool` tells it from a tool without a name.
    CREATE TABLE grants (
        principal TEXT NOT NULL, server TEXT NOT NULL, of_tool INTEGER NOT NULL, tool TEXT NOT NULL, access TEXT NOT NULL,
        confirms INTEGER NOT NULL, granted_by TEXT NOT NULL, granted_at INTEGER NOT NULL, expires INTEGER, justification TEXT,
        PRIMARY KEY (principal, server, of_tool, tool, access)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE permissions (
        server TEXT NOT NULL, permission TEXT NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL,
        decided_by TEXT NOT NULL, decided_at INTEGER NOT NULL, expires INTEGER,
        PRIMARY KEY (server, permission)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE permission_requests (
        request TEXT NOT NULL, permission TEXT NOT NULL, server TEXT NOT NULL, asked INTEGER NOT NULL, expires INTEGER,
        PRIMARY KEY (request, permission)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE approvals (
        request TEXT PRIMARY KEY, principal TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, arguments BLOB NOT NULL,
        revision INTEGER NOT NULL, asked INTEGER NOT NULL, expires INTEGER NOT NULL, state TEXT NOT NULL, by_whom TEXT, at INTEGER
    ) STRICT;

    CREATE TABLE pins (
        server TEXT NOT NULL, tool TEXT NOT NULL, digest BLOB NOT NULL, pinned_by TEXT NOT NULL, pinned_at INTEGER NOT NULL,
        PRIMARY KEY (server, tool)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE facts (
        kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, said_by TEXT NOT NULL, said_at INTEGER NOT NULL,
        PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE seal_keys (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL) STRICT;

    -- Events that are not known to be in the audit yet. Numbers are never used twice.
    CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, event BLOB NOT NULL) STRICT;
";
