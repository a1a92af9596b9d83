"""Greenlets that do one thing after the other."""

from contextvars import ContextVar

import gevent
import pytest

from companion.web.hands import KEPT, Hands


@pytest.fixture
def made():
    return []


@pytest.fixture
def hands(made):
    def spawn(*what):
        made.append(gevent.spawn(*what))

    return Hands(spawn)


def test_one_does_all_that_comes_one_after_the_other(hands, made):
    done = []
    for n in range(5):
        hands.do(lambda n=n: done.append((n, gevent.getcurrent())))
        gevent.sleep(0)
    assert [n for n, _ in done] == [0, 1, 2, 3, 4]
    assert {who for _, who in done} == set(made)
    assert len(made) == 1


def test_who_waits_holds_up_nobody(hands, made):
    done = []
    for n in range(KEPT + 3):
        hands.do(lambda n=n: (gevent.sleep(0.01), done.append(n)))
    gevent.sleep(0.05)
    assert done == list(range(KEPT + 3))
    assert sum(not one.dead for one in made) == KEPT


def test_nothing_is_left_of_what_was_done_before(hands, made):
    told = ContextVar("told", default="nothing")
    found = []
    for _ in range(2):
        hands.do(lambda: (found.append(told.get()), told.set("a secret")))
        gevent.sleep(0)
    assert found == ["nothing", "nothing"]
    assert len(made) == 1


def test_what_fails_takes_nothing_else_with_it(hands, made, capsys):
    done = []
    for work in (lambda: 1 / 0, lambda: done.append(1)):
        hands.do(work)
        gevent.sleep(0)
    assert done == [1]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_at_the_end_nobody_waits_for_more(hands, made):
    hands.do(lambda: None)
    gevent.sleep(0)
    hands.end()
    hands.do(lambda: gevent.sleep(0.01))
    gevent.sleep(0.05)
    assert all(one.dead for one in made)
