"""The append-only event log: tables, events, snapshots, seats and the installation's books."""

from companion.store.codec import digest
from companion.store.copies import PutBack, copy_file, mark_of, put_back
from companion.store.errors import (
    ActionIdReused,
    NoTable,
    NotAStore,
    SeatRevoked,
    StoreAway,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreGone,
    StoreReadOnly,
    StoreReplaced,
    StoreUnreachable,
    StoreUnsure,
    TableExists,
)
from companion.store.interface import (
    BookRow,
    Generation,
    Json,
    NewTable,
    Standing,
    Store,
    StoredEvent,
    TableRow,
    Tx,
)
from companion.store.location import unsafe_location
from companion.store.opening import is_address, open_any, open_store
from companion.store.sqlite import SqliteStore

__all__ = [
    "ActionIdReused",
    "BookRow",
    "Generation",
    "Json",
    "NewTable",
    "NoTable",
    "NotAStore",
    "PutBack",
    "SeatRevoked",
    "SqliteStore",
    "Standing",
    "Store",
    "StoreAway",
    "StoreBusy",
    "StoreClosed",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreGone",
    "StoreReadOnly",
    "StoreReplaced",
    "StoreUnreachable",
    "StoreUnsure",
    "StoredEvent",
    "TableExists",
    "TableRow",
    "Tx",
    "copy_file",
    "mark_of",
    "digest",
    "is_address",
    "open_any",
    "open_store",
    "put_back",
    "unsafe_location",
]
