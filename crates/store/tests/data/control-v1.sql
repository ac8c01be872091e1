-- What version 1 remembered, with a value of every kind.
PRAGMA application_id = 1128808782;
PRAGMA user_version = 1;

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

UPDATE policy SET revision = 17;

INSERT INTO tokens VALUES ('laptop', x'0101010101010101010101010101010101010101010101010101010101010101', 'alice', 'operator', '', 'root', 10, NULL, NULL, NULL);
INSERT INTO tokens VALUES ('phone', x'0202020202020202020202020202020202020202020202020202020202020202', 'alice', 'agent', 'fs,git', 'root', 11, 500, 'root', 20);

INSERT INTO grants VALUES ('alice', 'fs', 0, '', 'allow', 0, 'root', 12, NULL, NULL);
INSERT INTO grants VALUES ('alice', 'fs', 0, '', 'deny', 0, 'root', 13, 900, NULL);
INSERT INTO grants VALUES ('alice', 'fs', 1, '', 'allow', 0, 'root', 14, NULL, NULL);
INSERT INTO grants VALUES ('alice', 'fs', 1, 'delete', 'allow', 1, 'root', 15, NULL, 'for the move');

INSERT INTO permissions VALUES ('fs', 'filesystem.write', 'p1', 'approved', 'root', 41, NULL);
INSERT INTO permissions VALUES ('fs', 'memory.read', 'p0', 'denied', 'root', 42, 800);
INSERT INTO permissions VALUES ('git', 'network.outbound', 'p2', 'deferred', 'root', 43, NULL);

INSERT INTO permission_requests VALUES ('p2', 'network.outbound', 'git', 30, NULL);
INSERT INTO permission_requests VALUES ('p3', 'com.example.own', 'git', 31, 700);

INSERT INTO approvals VALUES ('a1', 'alice', 'fs', 'delete', x'0707070707070707070707070707070707070707070707070707070707070707', 3, 50, 100, 'pending', NULL, NULL);
INSERT INTO approvals VALUES ('a2', 'alice', 'fs', 'delete', x'0707070707070707070707070707070707070707070707070707070707070707', 3, 51, 100, 'approved', 'root', 60);
INSERT INTO approvals VALUES ('a3', 'alice', 'fs', 'delete', x'0707070707070707070707070707070707070707070707070707070707070707', 3, 52, 100, 'denied', 'root', 61);
INSERT INTO approvals VALUES ('a4', 'alice', 'fs', 'delete', x'0707070707070707070707070707070707070707070707070707070707070707', 3, 53, 100, 'used', 'alice', 62);

INSERT INTO pins VALUES ('fs', 'read', x'0303030303030303030303030303030303030303030303030303030303030303', 'gateway', 5);

INSERT INTO facts VALUES ('config', 'chancery.toml', 'def', 'root', 6);

INSERT INTO seal_keys VALUES (4, x'0808080808080808080808080808080808080808080808080808080808080808');
INSERT INTO seal_keys VALUES (5, x'0909090909090909090909090909090909090909090909090909090909090909');

INSERT INTO outbox VALUES (23, x'010000000000000000000000000000000000000000000003e80007000d544f4f4c5f455845435554454400056167656e740005616c69636500026673000472656164000b74726163652d77616974737b226e616d65223a227761697473227d');
