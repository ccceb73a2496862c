"""The tables of a store, their version, and the way from an older version to this one."""

from typing import Final

from mooe.platform.database import Database
from mooe.platform.errors import StoreError

SCHEMA: Final = 3

# Why a message was refused, until its sender can know: what is refused now may be right tomorrow.
REFUSALS_TABLE: Final = """CREATE TABLE source_refusal (
    source TEXT NOT NULL, part BIGINT NOT NULL, position BIGINT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (source, part, position))"""

# In SQLite's words; `mooe.platform.postgres` has others for the types. Times are microseconds since
# 1970, labels are JSON, x and answers are float64 numbers (`mooe.platform.store`).
TABLES: Final = (
    # numbered: the last number of a prediction when a model was deleted; none is given twice
    """CREATE TABLE store (
        schema INTEGER NOT NULL, epoch INTEGER NOT NULL, numerics TEXT NOT NULL,
        numbered BIGINT NOT NULL DEFAULT 0)""",
    """CREATE TABLE model (
        k INTEGER PRIMARY KEY, name TEXT NOT NULL, task TEXT NOT NULL, mode TEXT NOT NULL,
        params TEXT NOT NULL, settings TEXT NOT NULL, created INTEGER NOT NULL,
        shadow_of INTEGER, width INTEGER, deleted INTEGER)""",
    "CREATE UNIQUE INDEX model_name ON model (name) WHERE deleted IS NULL",
    "CREATE TABLE names (k INTEGER PRIMARY KEY, model INTEGER NOT NULL, listed TEXT NOT NULL)",
    "CREATE INDEX names_model ON names (model)",
    """CREATE TABLE prediction (
        n INTEGER PRIMARY KEY, model INTEGER NOT NULL, id TEXT, at INTEGER NOT NULL,
        names INTEGER, x BLOB, labels INTEGER, answer BLOB, version INTEGER, known REAL,
        status INTEGER NOT NULL, seq INTEGER)""",
    "CREATE UNIQUE INDEX prediction_id ON prediction (model, id) WHERE id IS NOT NULL",
    "CREATE INDEX prediction_pending ON prediction (model, n) WHERE status = 0",
    "CREATE INDEX prediction_expired ON prediction (model, status) WHERE status IN (2, 3)",
    """CREATE TABLE feedback (
        model INTEGER NOT NULL, seq INTEGER NOT NULL, n INTEGER NOT NULL, label TEXT NOT NULL,
        at INTEGER NOT NULL, kind INTEGER NOT NULL, PRIMARY KEY (model, seq)) WITHOUT ROWID""",
    """CREATE TABLE shadow_answer (
        n INTEGER NOT NULL, model INTEGER NOT NULL, labels INTEGER, answer BLOB,
        PRIMARY KEY (n, model)) WITHOUT ROWID""",
    """CREATE TABLE snapshot (
        k INTEGER PRIMARY KEY, model INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
        kind TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL, numerics TEXT NOT NULL,
        complete INTEGER NOT NULL)""",
    "CREATE INDEX snapshot_model ON snapshot (model, seq)",
    """CREATE TABLE snapshot_part (
        snapshot INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,
        PRIMARY KEY (snapshot, part)) WITHOUT ROWID""",
    """CREATE TABLE rollback (
        model INTEGER NOT NULL, after INTEGER NOT NULL, until INTEGER NOT NULL,
        at INTEGER NOT NULL)""",
    """CREATE TABLE source_position (
        source TEXT NOT NULL, part INTEGER NOT NULL, position INTEGER NOT NULL,
        PRIMARY KEY (source, part)) WITHOUT ROWID""",
    REFUSALS_TABLE,
)

# Made where a model has its inputs deleted, and not before: every label costs a tenth more with it.
HAS_INPUTS: Final = "x IS NOT NULL AND status IN (1, 2, 3)"
INPUTS_INDEX: Final = (
    f"CREATE INDEX IF NOT EXISTS prediction_inputs ON prediction (model, at) WHERE {HAS_INPUTS}"
)

# What makes a store of version v one of version v + 1, by v; run in one transaction.
MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: ("ALTER TABLE store ADD COLUMN numbered BIGINT NOT NULL DEFAULT 0",),
    2: (REFUSALS_TABLE,),
}


def migrate(database: Database) -> None:
    """In a transaction: make a store of an older version one of this, or raise StoreError."""
    ((found,),) = database.select("SELECT schema FROM store")
    if found > SCHEMA:
        raise StoreError(
            f"{database.where} was written by a newer mooe (version {found} of the store); "
            f"this one reads versions up to {SCHEMA}: upgrade mooe"
        )
    for version in range(found, SCHEMA):
        for sql in MIGRATIONS[version]:
            database.execute(sql)
    if found < SCHEMA:
        database.execute("UPDATE store SET schema = ?", (SCHEMA,))
