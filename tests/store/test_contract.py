"""What any store must do: SQLite, and PostgreSQL where there is one."""

import pytest

from companion.store import (
    ActionIdReused,
    BookRow,
    Generation,
    NoTable,
    SeatRevoked,
    SqliteStore,
    Standing,
    StoreClosed,
    StoredEvent,
    StoreError,
    TableExists,
)

NOON = "1942-05-12T12:00:00Z"
LATER = "1942-05-13T09:00:00Z"
ROLL = {"kind": "rolled", "values": [3]}

pytestmark = pytest.mark.parametrize("open_again", ["sqlite", "postgres"], indirect=True)


def test_a_new_table_is_found_as_it_was_made(store, new_table):
    store.create(new_table(title="Пятница 🎲 <b>"))
    row = store.table("K7QX")
    assert (row.code, row.system, row.scenario, row.title) == (
        "K7QX",
        "second-kharkov",
        "campaign",
        "Пятница 🎲 <b>",
    )
    assert (row.seed, row.options) == ("c0ffee", {"dice": "digital"})
    assert (row.created_at, row.changed_at) == (NOON, NOON)
    assert (row.revision, row.stream, row.ended, row.archived, row.summary) == (0, 0, False, False, {})


def test_a_tables_seed_is_not_printed(store, new_table):
    store.create(new_table())
    assert "c0ffee" not in repr(store.table("K7QX")) + repr(new_table())


def test_a_code_is_used_once(store, table, new_table):
    with pytest.raises(TableExists, match="K7QX"):
        store.create(new_table())
    store.archive(table)
    with pytest.raises(TableExists):
        store.create(new_table())


@pytest.mark.parametrize("code", ["NONE", "", "k7qx", "K7QX\x00", "\ud800", "🎲" * 10_000])
@pytest.mark.parametrize(
    "ask",
    [
        lambda store, code: store.table(code),
        lambda store, code: store.latest(code),
        lambda store, code: store.events(code),
        lambda store, code: store.snapshot_before(code, 1),
        lambda store, code: store.save_snapshot(code, 0, {}),
        lambda store, code: store.transaction(code).__enter__(),
        lambda store, code: store.archive(code),
        lambda store, code: store.unarchive(code),
        lambda store, code: store.seat_generations(code),
        lambda store, code: store.standing(code),
        lambda store, code: store.reissue_seat(code, "soviet"),
        lambda store, code: store.revoke_seat(code, "soviet"),
        lambda store, code: store.claim_seat(code, "soviet", NOON),
    ],
)
def test_an_unknown_table_is_named_with_what_to_do(store, table, code, ask):
    with pytest.raises(NoTable, match="check the code") as caught:
        ask(store, code)
    assert caught.value.code == code
    assert isinstance(caught.value, LookupError)


def test_events_come_back_in_order_with_their_circumstances(store, table, append):
    assert append(store, table, "a1", ROLL, {"kind": "noted", "text": "Пётр 🎲 </script>"}) == 2
    assert append(store, table, "a2", {"kind": "set"}, at=LATER, seat="axis", name="set_weather") == 3
    assert store.events(table) == [
        StoredEvent(1, NOON, "soviet", "a1", "roll", ROLL),
        StoredEvent(2, NOON, "soviet", "a1", "roll", {"kind": "noted", "text": "Пётр 🎲 </script>"}),
        StoredEvent(3, LATER, "axis", "a2", "set_weather", {"kind": "set"}),
    ]
    assert [event.kind for event in store.events(table)] == ["rolled", "noted", "set"]
    assert store.latest(table) == 3


def test_events_are_read_by_range(store, table, append):
    append(store, table, "a1", *[ROLL] * 10)
    assert [event.seq for event in store.events(table, after=7)] == [8, 9, 10]
    assert [event.seq for event in store.events(table, after=3, upto=5)] == [4, 5]
    assert store.events(table, after=10**30) == []
    assert len(store.events(table, after=-(10**30), upto=10**30)) == 10


def test_tables_do_not_share_events_or_action_ids(store, table, append, new_table):
    store.create(new_table("M2ZZ"))
    append(store, table, "a1", ROLL, ROLL)
    append(store, "M2ZZ", "a1")
    assert (store.latest(table), store.latest("M2ZZ")) == (2, 1)


def test_a_transaction_sees_its_own_events_and_others_do_not(store, table):
    with store.transaction(table) as tx:
        assert (tx.latest, tx.events()) == (0, [])
        tx.append([ROLL], at=NOON, seat="soviet", act="a1", name="roll", stream=4, answer={})
        assert (tx.latest, tx.stream, tx.seed) == (1, 4, "c0ffee")
        assert [event.seq for event in tx.events(after=0)] == [1]
        assert store.latest(table) == 0
    assert store.latest(table) == 1
    assert store.table(table).stream == 4


def test_an_exception_rolls_everything_back(store, table, append):
    append(store, table, "a1")
    with pytest.raises(ZeroDivisionError), store.transaction(table) as tx:
        tx.append([ROLL], at=LATER, seat="soviet", act="a2", name="roll", stream=9, answer={}, ended=True)
        tx.save_snapshot(2, {"turn": 1})
        raise ZeroDivisionError
    row = store.table(table)
    assert (row.revision, row.stream, row.changed_at, row.ended) == (1, 0, NOON, False)
    assert store.snapshot_before(table, 2) is None
    assert append(store, table, "a2") == 2


@pytest.mark.parametrize(
    "bad",
    [
        {"bodies": [ROLL, {"values": [3]}]},
        {"bodies": [ROLL, {"kind": 3}]},
        {"bodies": [ROLL, "rolled"]},
        {"bodies": [ROLL, {"kind": "noted", "text": "\ud83d"}]},
        {"bodies": [ROLL, {"kind": "noted", "odds": float("nan")}]},
        {"bodies": [ROLL, {"kind": "noted", "text": {1, 2}}]},
        {"act": ""},
        {"act": "\ud83d"},
        {"stream": -1},
        {"answer": None},
        {"summary": "turn 3"},
    ],
)
def test_a_refused_append_leaves_nothing_behind_even_if_the_transaction_goes_on(store, table, bad):
    good = {"bodies": [ROLL], "at": NOON, "seat": "s", "act": "a1", "name": "roll", "stream": 1, "answer": {}}
    with store.transaction(table) as tx:
        with pytest.raises(ValueError):
            tx.append(**(good | bad))
        assert (tx.latest, tx.stream, tx.answer_to("a1", seat="s", name="roll")) == (0, 0, None)
        tx.append(**good)
    assert store.events(table) == [StoredEvent(1, NOON, "s", "a1", "roll", ROLL)]


def test_a_long_text_is_kept_whole(store, table, append):
    append(store, table, "a1", {"kind": "noted", "text": "🎲\x00<i>" * 10_000})
    assert store.events(table)[0].body["text"] == "🎲\x00<i>" * 10_000


def test_the_random_stream_never_goes_back(store, table, append):
    append(store, table, "a1", stream=5)
    with pytest.raises(ValueError, match="is at 5 and cannot go back to 4"):
        append(store, table, "a2", stream=4)
    assert append(store, table, "a2", stream=5) == 2


def test_a_repeated_action_gets_the_first_answer(store, table, append):
    append(store, table, "a1", answer={"rolled": [3]})
    with store.transaction(table) as tx:
        assert tx.answer_to("a1", seat="soviet", name="roll") == {"rolled": [3]}
        assert tx.answer_to("a2", seat="soviet", name="roll") is None


@pytest.mark.parametrize("again", [{"seat": "axis", "name": "roll"}, {"seat": "soviet", "name": "undo"}])
def test_an_action_id_belongs_to_one_action(store, table, append, again):
    append(store, table, "a1")
    with store.transaction(table) as tx, pytest.raises(ActionIdReused, match="'a1'.*make a new id") as caught:
        tx.answer_to("a1", **again)
    assert "roll" not in str(caught.value) and "soviet" not in str(caught.value), "it may be a secret"


def test_an_action_id_belongs_to_one_body(store, table, append):
    append(store, table, "a1", digest="roll 1d6")
    append(store, table, "a2")
    with store.transaction(table) as tx:
        assert tx.answer_to("a1", seat="soviet", name="roll", digest="roll 1d6") == {"act": "a1"}
        assert tx.answer_to("a2", seat="soviet", name="roll", digest="roll 1d6") == {"act": "a2"}, (
            "none to compare"
        )
        with pytest.raises(ActionIdReused):
            tx.answer_to("a1", seat="soviet", name="roll", digest="roll 2d6")


def test_an_action_id_is_appended_once(store, table, append):
    append(store, table, "a1")
    with pytest.raises(ActionIdReused):
        append(store, table, "a1")
    assert store.latest(table) == 1


def test_who_goes_on_after_an_error_commits_no_half(store, table, append, monkeypatch):
    def fail(*_):
        raise OSError("between the action and its events")

    with store.transaction(table) as tx:
        with monkeypatch.context() as patched, pytest.raises(OSError):
            patched.setattr(tx._pool, "many", fail)
            tx.append([ROLL], at=NOON, seat="s", act="a1", name="roll", stream=1, answer={})
        assert tx.answer_to("a1", seat="s", name="roll") is None
        assert (tx.latest, tx.stream) == (0, 0)
        tx.append([ROLL], at=NOON, seat="s", act="a2", name="roll", stream=0, answer={})
    assert [event.act for event in store.events(table)] == ["a2"]


def test_a_summary_stays_until_another_is_told(store, table):
    for act, told in (("a1", {"turn": 1}), ("a2", {"turn": 1}), ("a3", {"turn": 2}), ("a4", None)):
        with store.transaction(table) as tx:
            tx.append([ROLL], at=NOON, seat="s", act=act, name="roll", stream=0, answer={}, summary=told)
            assert tx.summary == (told or {"turn": 2})
        assert store.table(table).summary == (told or {"turn": 2})


def test_an_action_without_events_is_still_answered_once(store, table):
    told = []
    store.subscribe(lambda *news: told.append(news))
    with store.transaction(table) as tx:
        assert tx.append([], at=NOON, seat="s", act="a1", name="peek", stream=0, answer={"ok": 1}) == 0
    with store.transaction(table) as tx:
        assert tx.answer_to("a1", seat="s", name="peek") == {"ok": 1}
    assert told == []


def test_a_transaction_is_useless_after_its_block(store, table):
    with store.transaction(table) as tx:
        pass
    with pytest.raises(RuntimeError, match="over"):
        tx.append([ROLL], at=NOON, seat="s", act="a1", name="roll", stream=0, answer={})
    with pytest.raises(RuntimeError):
        tx.events()


def test_transactions_do_not_nest(store, table, append):
    with store.transaction(table), pytest.raises(RuntimeError, match="already open"):
        append(store, table, "a1")
    assert append(store, table, "a1") == 1


def test_a_table_and_its_events_can_appear_together(store, new_table):
    with store.creating(new_table()) as tx:
        tx.append([ROLL], at=LATER, seat="s", act="a1", name="import", stream=7, answer={})
        tx.append([ROLL], at=LATER, seat="s", act="a2", name="import", stream=8, answer={})
    row = store.table("K7QX")
    assert (row.revision, row.stream, row.changed_at) == (2, 8, LATER)


def test_a_failed_import_leaves_no_table(store, new_table):
    with pytest.raises(ZeroDivisionError), store.creating(new_table()):
        raise ZeroDivisionError
    assert store.tables() == []


def test_the_lobby_lists_newest_activity_first(store, new_table, append):
    for code in ("AAAA", "BBBB", "CCCC"):
        store.create(new_table(code))
    append(store, "BBBB", "a1", at=LATER, summary={"turn": 3}, ended=True)
    assert [row.code for row in store.tables()] == ["BBBB", "CCCC", "AAAA"]
    assert (store.tables()[0].summary, store.tables()[0].ended) == ({"turn": 3}, True)


def test_summary_and_end_stay_until_changed(store, table, append):
    append(store, table, "a1", summary={"turn": 3}, ended=True)
    append(store, table, "a2")
    assert (store.table(table).summary, store.table(table).ended) == ({"turn": 3}, True)
    append(store, table, "a3", ended=False, summary={})
    assert (store.table(table).summary, store.table(table).ended) == ({}, False)


def test_archiving_hides_and_deletes_nothing(store, table, append):
    append(store, table, "a1")
    store.archive(table)
    assert store.tables() == []
    assert [row.code for row in store.tables(archived=True)] == [table]
    assert (store.table(table).archived, len(store.events(table))) == (True, 1)
    assert append(store, table, "a2") == 2
    store.unarchive(table)
    assert [row.code for row in store.tables()] == [table]


def test_the_newest_snapshot_not_after_an_event_is_found(store, table, append):
    append(store, table, "a1", *[ROLL] * 30)
    assert store.snapshot_before(table, 30) is None
    store.save_snapshot(table, 10, {"turn": 1})
    store.save_snapshot(table, 20, {"turn": 2})
    assert store.snapshot_before(table, 9) is None
    assert store.snapshot_before(table, 10) == (10, {"turn": 1})
    assert store.snapshot_before(table, 19) == (10, {"turn": 1})
    assert store.snapshot_before(table, 10**30) == (20, {"turn": 2})
    store.save_snapshot(table, 20, {"turn": 2, "format": 2})
    assert store.snapshot_before(table, 20) == (20, {"turn": 2, "format": 2})


@pytest.mark.parametrize("seq", [-1, 2, 10**30])
def test_no_snapshot_of_an_event_that_is_not_there(store, table, append, seq):
    append(store, table, "a1")
    with pytest.raises(ValueError, match="is at 1"):
        store.save_snapshot(table, seq, {})


def test_subscribers_hear_of_commits_until_they_leave(store, table, append):
    told = []
    leave = store.subscribe(lambda code, revision: told.append((code, revision, store.latest(code))))
    append(store, table, "a1", ROLL, ROLL)
    store.save_snapshot(table, 2, {})
    leave()
    leave()
    append(store, table, "a2")
    assert told == [(table, 2, 2)]


def test_a_subscriber_may_write_and_may_fail(store, table, append, caplog):
    told = []

    def answer_back(code, revision):
        if revision == 1:
            append(store, code, "a2")

    def fail(code, revision):
        raise ZeroDivisionError

    store.subscribe(fail)
    store.subscribe(answer_back)
    store.subscribe(lambda code, revision: told.append(revision))
    assert append(store, table, "a1") == 1
    assert sorted(told) == [1, 2]
    assert "a subscriber failed on table K7QX" in caplog.text


def test_a_rolled_back_transaction_is_not_told(store, table):
    told = []
    store.subscribe(lambda *news: told.append(news))
    with pytest.raises(ZeroDivisionError), store.transaction(table) as tx:
        tx.append([ROLL], at=NOON, seat="s", act="a1", name="roll", stream=0, answer={})
        raise ZeroDivisionError
    assert told == []


def test_polling_tells_of_other_processes_commits_once(open_again, table, append, store, new_table):
    other, told = open_again(), []
    store.subscribe(lambda *news: told.append(news))
    store.poll_others()
    append(store, table, "a1")
    assert told.pop() == (table, 1)
    store.poll_others()
    assert told == []
    append(other, table, "a2", ROLL, ROLL)
    with other.creating(new_table("M2ZZ")) as tx:
        tx.append([ROLL], at=NOON, seat="s", act="a1", name="import", stream=0, answer={})
    other.setting_put("lan", "on")
    store.poll_others()
    store.poll_others()
    assert sorted(told) == [(table, 3), ("M2ZZ", 1)]


def test_everything_is_there_after_reopening(open_again, table, append, store):
    append(store, table, "a1", answer={"ok": 1}, stream=3)
    store.close()
    again = open_again()
    assert [event.seq for event in again.events(table)] == [1]
    with again.transaction(table) as tx:
        assert (tx.stream, tx.answer_to("a1", seat="soviet", name="roll")) == (3, {"ok": 1})


def test_a_closed_store_says_so(store, table, new_table):
    store.close()
    store.close()
    with pytest.raises(StoreClosed):
        store.table(table)
    with pytest.raises(StoreClosed):
        store.create(new_table())


def test_seats_start_untouched_and_count_their_issues(store, table):
    assert store.seat_generations(table) == {}
    assert store.claim_seat(table, "soviet", NOON) == Generation(1, NOON)
    assert store.claim_seat(table, "soviet", LATER) == Generation(1, NOON)
    assert store.reissue_seat(table, "soviet") == Generation(2)
    assert store.reissue_seat(table, "axis") == Generation(2)
    assert store.seat_generations(table) == {"soviet": Generation(2), "axis": Generation(2)}


def test_what_stands_at_a_table_is_read_at_once(store, table):
    row = store.table(table)
    assert store.standing(table) == Standing(table, row.system, row.revision, {})
    store.claim_seat(table, "soviet", NOON)
    store.revoke_seat(table, "axis")
    assert store.standing(table).seats == store.seat_generations(table)
    assert store.standing(table).seats["axis"] == Generation(1, revoked=True)


def test_a_transaction_tells_what_it_wrote_as_it_is_read_after_it(store, table):
    with store.transaction(table) as tx:
        before = tx.latest
        assert tx.written == []
        for act in ("one", "two"):
            bodies = [
                {"kind": "noted", "text": f"{act} – ä", "units": ("a", "b")},
                {"kind": "noted", "n": 1.5},
            ]
            tx.append(bodies, at=NOON, seat="axis", act=act, name="note", stream=tx.stream, answer={})
        written = tx.written
    assert written == store.events(table, before) and written[0].body["units"] == ["a", "b"]


def test_a_transaction_knows_what_the_lobby_tells(store, table):
    store.archive(table)
    with store.transaction(table) as tx:
        assert (tx.archived, tx.summary) == (True, store.table(table).summary)


def test_a_revoked_seat_stays_closed_until_reissued(store, table):
    store.claim_seat(table, "watch", NOON)
    assert store.revoke_seat(table, "watch") == Generation(1, NOON, revoked=True)
    with pytest.raises(SeatRevoked, match="'watch' of table 'K7QX'"):
        store.claim_seat(table, "watch", LATER)
    assert store.reissue_seat(table, "watch") == Generation(2)
    assert store.claim_seat(table, "watch", LATER) == Generation(2, LATER)


def test_books_are_kept_by_system_and_name(store):
    assert store.book_get("wb95", "chart/crt") is None
    store.book_change("wb95", "roster", lambda _: {"units": []}, NOON)
    store.book_change("wb95", "chart/crt", lambda _: {"3:1": ["DR"]}, NOON)
    store.book_change("panzer-keil", "map", lambda _: {}, NOON)
    store.book_change("wb95", "roster", lambda _: {"units": ["6A"]}, LATER)
    assert store.book_get("wb95", "roster") == {"units": ["6A"]}
    assert store.book_list("wb95") == [BookRow("chart/crt", NOON), BookRow("roster", LATER)]
    assert store.book_list("kharkov-battles") == []


def test_a_book_is_changed_from_what_it_holds(store):
    def add(cell):
        return lambda book: {**(book or {}), **cell}

    store.book_change("wb95", "chart/crt", add({"1:1": "AR"}), NOON)
    assert store.book_change("wb95", "chart/crt", add({"2:1": "DR"}), NOON) == {"1:1": "AR", "2:1": "DR"}
    with pytest.raises(ValueError, match="book 'chart/crt' must be a JSON object, not list"):
        store.book_change("wb95", "chart/crt", lambda book: [book], NOON)
    assert store.book_get("wb95", "chart/crt") == {"1:1": "AR", "2:1": "DR"}


def test_settings_are_any_json(store):
    assert store.setting_get("theme") is None
    for value in ("dark", 3, [1, {"a": None}], {"x": "Ж"}, False):
        store.setting_put("theme", value)
        assert store.setting_get("theme") == value


def test_a_backup_is_a_whole_store_or_the_way_to_one(store, table, append, tmp_path, open_again):
    append(store, table, "a1")
    copy = tmp_path / "sub" / "copy.db"
    if not isinstance(store, SqliteStore):
        with pytest.raises(StoreError, match="pg_dump"):
            store.backup(copy)
        return
    with store.transaction(table) as tx:
        tx.append([ROLL], at=NOON, seat="s", act="a2", name="roll", stream=0, answer={})
        store.backup(copy)
    with pytest.raises(FileExistsError, match=r"copy\.db exists already"):
        store.backup(copy)
    store.backup(copy, overwrite=True)
    assert [path.name for path in copy.parent.iterdir()] == ["copy.db"]


def test_a_setting_made_once_keeps_its_first_value(store, open_again):
    assert store.setting_once("secret", "a") == "a"
    assert open_again().setting_once("secret", "b") == "a"
    assert store.setting_get("secret") == "a"


def test_a_table_may_begin_with_later_issues_of_its_links(store, new_table):
    with store.creating(new_table(), {"soviet": Generation(7, NOON), "german": Generation(3, revoked=True)}):
        pass
    assert store.seat_generations("K7QX") == {
        "soviet": Generation(7, NOON),
        "german": Generation(3, revoked=True),
    }


def test_a_seat_changes_with_the_events_of_its_transaction_or_not_at_all(store, table):
    store.claim_seat(table, "soviet", NOON)
    with pytest.raises(ZeroDivisionError), store.transaction(table) as tx:
        tx.reissue_seat("soviet")
        tx.revoke_seat("axis")
        raise ZeroDivisionError
    assert store.seat_generations(table) == {"soviet": Generation(1, NOON)}
    with store.transaction(table) as tx:
        assert tx.seats() == {"soviet": Generation(1, NOON)}
        tx.reissue_seat("soviet")
        tx.revoke_seat("axis")
        assert tx.seats() == {"soviet": Generation(2), "axis": Generation(1, revoked=True)}
    assert store.seat_generations(table) == {"soviet": Generation(2), "axis": Generation(1, revoked=True)}
    with pytest.raises(RuntimeError, match="transaction is over"):
        tx.reissue_seat("soviet")


def test_a_whole_record_is_restored_at_once_with_its_own_times_and_actions(store, new_table):
    events = [
        StoredEvent(1, NOON, "table", "open", "open", {"kind": "noted", "text": "a"}),
        StoredEvent(2, NOON, "table", "open", "open", {"kind": "noted", "text": "b"}),
        StoredEvent(3, NOON, "soviet", "roll", "roll-dice", {"kind": "noted", "text": "c"}),
    ]
    with store.creating(new_table()) as tx:
        assert tx.restore(events, stream=7, summary={"turn": 2}, ended=False) == 3
    row = store.table("K7QX")
    assert store.events("K7QX") == events
    assert (row.revision, row.stream, row.summary, row.ended) == (3, 7, {"turn": 2}, False)
    with store.transaction("K7QX") as tx:
        assert tx.answer_to("roll", seat="soviet", name="roll-dice") == {"revision": 3}


def test_a_record_in_which_an_action_comes_back_later_is_refused_whole(store, new_table):
    events = [
        StoredEvent(n, NOON, "table", act, "note", {"kind": "noted", "text": act})
        for n, act in enumerate(("a", "b", "a"), 1)
    ]
    with pytest.raises(ActionIdReused), store.creating(new_table()) as tx:
        tx.restore(events, stream=0, summary={}, ended=False)
    with pytest.raises(NoTable):
        store.table("K7QX")


def test_a_deleted_table_is_gone_with_all_of_it_and_its_code_is_never_used_again(
    store, table, append, new_table
):
    """Links and cookies are made from the code: a new table with it would let old guests in."""
    store.create(new_table("M2ZZ"))
    append(store, table, "a1", ROLL, ROLL)
    append(store, "M2ZZ", "a1")
    store.save_snapshot(table, 2, {"turn": 1})
    store.claim_seat(table, "soviet", NOON)
    store.delete(table)
    with pytest.raises(NoTable):
        store.table(table)
    with pytest.raises(NoTable):
        store.delete(table)
    assert [store.is_free(code) for code in (table, "M2ZZ", "NONE")] == [False, False, True]
    with pytest.raises(TableExists):
        store.create(new_table(table))
    assert [row.code for row in store.tables()] == ["M2ZZ"]
    assert store.latest("M2ZZ") == 1


def test_tables_are_found_by_their_codes_alone(store, new_table):
    for code in ("AAAA", "BBBB", "CCCC"):
        store.create(new_table(code))
    store.archive("CCCC")
    assert [row.code for row in store.tables(codes=["BBBB", "CCCC", "NONE", ""])] == ["BBBB"]
    assert [row.code for row in store.tables(archived=True, codes=["BBBB", "CCCC"])] == ["CCCC"]
    assert store.tables(codes=[]) == []


def test_tables_long_quiet_are_found_oldest_first(store, new_table, append):
    for code, at in (("AAAA", "1942-05-10"), ("BBBB", "1942-05-09"), ("CCCC", NOON)):
        store.create(new_table(code, created_at=at))
    assert store.quiet_since("1942-05-11", most=5) == ["BBBB", "AAAA"]
    assert store.quiet_since("1942-05-11", most=1) == ["BBBB"]
    append(store, "BBBB", "a1", at=LATER)
    assert store.quiet_since("1942-05-11", most=5) == ["AAAA"]


def test_a_game_is_found_by_its_birth(store, new_table):
    store.create(new_table("AAAA", created_at=NOON))
    store.create(new_table("BBBB", created_at=LATER))
    assert store.born("second-kharkov", "campaign", LATER) == ["BBBB"]
    assert store.born("second-kharkov", "historical", LATER) == []


def test_a_setting_is_changed_from_what_it_is(store):
    assert store.setting_change("n", lambda old: (old or 0) + 1) == 1
    assert store.setting_change("n", lambda old: (old or 0) + 1) == 2
    with pytest.raises(ZeroDivisionError):
        store.setting_change("n", lambda old: 1 // 0)
    assert store.setting_get("n") == 2
    store.setting_put("n", None)
    assert (store.setting_get("n"), store.setting_once("n", 7)) == (None, 7)


def test_two_processes_change_one_book_and_one_setting_and_lose_nothing(store, open_again):
    """Also when neither was there before: the second waits for the first."""
    from concurrent.futures import ThreadPoolExecutor

    stores = [store, open_again()]

    def work(number):
        one = stores[number % 2]
        one.book_change("wb95", "map", lambda book: {**(book or {}), str(number): 1}, NOON)
        one.setting_change("list", lambda old: [*(old or []), number])

    with ThreadPoolExecutor(4) as crowd:
        list(crowd.map(work, range(12)))
    assert len(store.book_get("wb95", "map")) == 12
    assert sorted(store.setting_get("list")) == list(range(12))


def test_books_written_by_another_process_are_told(store, open_again):
    other, told = open_again(), []
    leave = store.subscribe_books(told.append)
    store.poll_others()
    told.clear()
    other.book_change("wb95", "map", lambda _: {}, NOON)
    store.poll_others()
    assert told == ["wb95"]
    other.book_change("wb95", "map", lambda _: {"a": 1}, NOON)
    store.poll_others()
    assert told == ["wb95"] * 2
    leave()
    other.book_change("wb95", "map", lambda _: {}, NOON)
    store.poll_others()
    assert told == ["wb95"] * 2
