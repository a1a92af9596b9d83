"""The schema in PostgreSQL as a list of steps; a released step is never edited, a change is a new one at the end."""

from companion.store.errors import NotAStore
from companion.store.postgres.pool import PgPool

OLDEST = 130000
"""PostgreSQL 13; older ones are no longer cared for."""
CHANNEL = "companion"
"""On which PostgreSQL tells every process of what another has committed."""

# Text compares by its bytes, as in SQLite. JSON is kept as the text it was written as, so that digests hold.
_FIRST = (
    """create table game (
        rowid bigint generated always as identity,
        code text collate "C" primary key,
        system text not null,
        scenario text not null,
        title text not null,
        seed text not null,
        options text not null,
        created_at text collate "C" not null,
        changed_at text collate "C" not null,
        revision bigint not null default 0,
        stream bigint not null default 0,
        ended boolean not null default false,
        archived boolean not null default false,
        summary text not null default '{}',
        touched timestamptz not null default clock_timestamp()
    )""",
    "create index game_by_activity on game (changed_at)",
    "create index game_by_birth on game (created_at)",
    """create table event (
        game text collate "C" not null references game (code) deferrable,
        seq bigint not null check (seq > 0),
        at text not null,
        seat text not null,
        act text not null,
        name text not null,
        kind text not null,
        body text not null,
        primary key (game, seq)
    )""",
    """create table action (
        game text collate "C" not null references game (code) deferrable,
        act text collate "C" not null,
        seat text not null,
        name text not null,
        revision bigint not null,
        answer text not null,
        digest text not null default '',
        primary key (game, act)
    )""",
    """create table snapshot (
        game text collate "C" not null references game (code) deferrable,
        seq bigint not null,
        state text not null,
        digest text not null default '',
        primary key (game, seq)
    )""",
    """create table seat (
        game text collate "C" not null references game (code) deferrable,
        seat text collate "C" not null,
        generation bigint not null default 1,
        claimed_at text,
        revoked boolean not null default false,
        primary key (game, seat)
    )""",
    """create table book (
        system text collate "C" not null,
        name text collate "C" not null,
        body text not null,
        changed_at text not null,
        revision bigint not null default 0,
        primary key (system, name)
    )""",
    'create table setting (key text collate "C" primary key, value text not null)',
    'create table deleted (code text collate "C" primary key)',
    """create function event_is_append_only() returns trigger language plpgsql as $$
    begin
        if tg_op = 'UPDATE' or exists (select 1 from game where code = old.game) then
            raise exception 'events are append-only';
        end if;
        return old;
    end $$""",
    """create trigger event_is_append_only before update or delete on event
       for each row execute function event_is_append_only()""",
    # Sent with the commit, and not at all when it is rolled back.
    f"""create function tell_of_game() returns trigger language plpgsql as $$
    begin
        new.touched := clock_timestamp();
        perform pg_notify('{CHANNEL}', 'game ' || new.code || ' ' || new.revision);
        return new;
    end $$""",
    """create trigger tell_of_game before update of revision on game
       for each row when (old.revision <> new.revision) execute function tell_of_game()""",
    f"""create function tell_of_book() returns trigger language plpgsql as $$
    begin
        perform pg_notify('{CHANNEL}', 'book ' || new.system);
        return new;
    end $$""",
    """create trigger tell_of_book before insert or update on book
       for each row execute function tell_of_book()""",
)
STEPS: dict[str, tuple[str, ...]] = {"first": _FIRST}

_KNOWN = """select to_regclass('companion_step') is not null,
            exists (select 1 from pg_class where relkind in ('r', 'p') and relnamespace = current_schema::regnamespace)"""


def bring_up_to_date(pool: PgPool) -> None:
    """Make the tables of a new installation, or the changes that an older one lacks; all of them or none.

    :raises NotAStore: if the database is another program's, of a newer version, or unfit
    """
    with pool.reading() as db:
        if db.conn.info.server_version < OLDEST:
            raise NotAStore(f"{pool.name}: PostgreSQL 13 or newer is needed")
        encoding = db.execute("show server_encoding").fetchone()[0]
        if encoding != "UTF8":
            raise NotAStore(f"{pool.name} has the encoding {encoding}: make it with createdb --encoding UTF8")
    with pool.writing("companion schema") as db:  # several processes may start at once
        ours, anything = db.execute(_KNOWN).fetchone()
        if anything and not ours:
            raise NotAStore(
                f"{pool.name} holds another program's tables: give the companion a database of its own"
            )
        if not ours:
            db.execute("create table companion_step (name text primary key, at timestamptz default now())")
        done = {name for (name,) in db.execute("select name from companion_step").fetchall()}
        newer = sorted(done - set(STEPS))
        if newer:
            raise NotAStore(
                f"{pool.name} was written by a newer version of the companion (its schema has the unknown step "
                f"{newer[-1]!r}): update the companion"
            )
        for name, statements in STEPS.items():
            if name not in done:
                for statement in statements:
                    db.execute(statement)
                db.execute("insert into companion_step (name) values (?)", [name])
