"""The schema as a list of steps; a released step is never edited, a change is a new one at the end."""

from sqlite_utils import Database, Migrations

migrations = Migrations("companion")


@migrations(name="first")
def _first(db: Database) -> None:
    """Lay down the tables of the first version."""
    for statement in _FIRST:
        db.execute(statement)


_FIRST = (
    """
create table game (
    code text primary key not null,
    system text not null,
    scenario text not null,
    title text not null,
    seed text not null,
    options text not null,
    created_at text not null,
    changed_at text not null,
    revision integer not null default 0,
    stream integer not null default 0,
    ended integer not null default 0 check (ended in (0, 1)),
    archived integer not null default 0 check (archived in (0, 1)),
    summary text not null default '{}'
) strict
""",
    "create index game_by_activity on game (archived, changed_at)",
    """
create table event (
    game text not null references game (code),
    seq integer not null check (seq > 0),
    at text not null,
    seat text not null,
    act text not null,
    name text not null,
    kind text not null,
    body text not null,
    primary key (game, seq)
) strict, without rowid
""",
    """
create trigger event_is_never_updated before update on event
begin select raise(abort, 'events are append-only'); end
""",
    """
create trigger event_is_never_deleted before delete on event
begin select raise(abort, 'events are append-only'); end
""",
    """
create table action (
    game text not null references game (code),
    act text not null,
    seat text not null,
    name text not null,
    revision integer not null,
    answer text not null,
    primary key (game, act)
) strict, without rowid
""",
    """
create table snapshot (
    game text not null references game (code),
    seq integer not null,
    state text not null,
    primary key (game, seq)
) strict
""",
    """
create table seat (
    game text not null references game (code),
    seat text not null,
    generation integer not null default 1,
    claimed_at text,
    revoked integer not null default 0 check (revoked in (0, 1)),
    primary key (game, seat)
) strict, without rowid
""",
    """
create table book (
    system text not null,
    name text not null,
    body text not null,
    changed_at text not null,
    primary key (system, name)
) strict
""",
    """
create table setting (
    key text primary key not null,
    value text not null
) strict, without rowid
""",
)


@migrations(name="trust")
def _trust(db: Database) -> None:
    """Say of every snapshot and every action's body what it was, so that neither has to be believed.

    Rows of before have no digest: such a snapshot is not used, such an action is known by its seat and name.
    """
    db.execute("alter table snapshot add column digest text not null default ''")
    db.execute("alter table action add column digest text not null default ''")


@migrations(name="deleting")
def _deleting(db: Database) -> None:
    """Let a whole table be deleted, never a part of its record; and count how often a book was written.

    The codes of deleted tables are kept: a new table with an old code would let old links and cookies in.
    """
    db.execute("drop trigger event_is_never_deleted")
    db.execute(
        """create trigger event_is_never_deleted before delete on event
           when exists (select 1 from game where code = old.game)
           begin select raise(abort, 'events are append-only'); end"""
    )
    db.execute("create table deleted (code text primary key not null) strict, without rowid")
    db.execute("alter table book add column revision integer not null default 0")
