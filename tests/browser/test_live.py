"""live.js against a toy table: one number, one button, a stream, and a network that comes and goes."""

import json
import logging
import queue
import threading

import pytest
from flask import Flask, Response, render_template_string, request
from jinja2 import FileSystemLoader
from playwright.sync_api import expect
from werkzeug.serving import make_server

from companion.resources import STATIC, TEMPLATES
from companion.web import security

PAGE = """
{% extends "base.html" %}
{% block body_attrs %}data-stream="/stream"{% endblock %}
{% block hall %}{% endblock %}
{% block content %}
<span id="link" class="link" role="status" data-state="behind">catching up</span>
{% include "live" %}
<input aria-label="Entry" data-key="/">
<span class="number">
  <button type="button" data-step="-1">less</button>
  <input type="number" aria-label="Count" value="3" min="0">
  <button type="button" data-step="1">more</button>
</span>
<form method="post" action="/plain" data-action="Plain"><button>Plain</button></form>
<div id="answer"></div>
<form data-action="Refused" hx-post="/refuse" hx-target="#answer" hx-swap="innerHTML">
  <button>Refused</button>
</form>
{% endblock %}
"""
LIVE = """
<div id="live" data-rev="{{ table.rev }}" hx-get="/live" hx-trigger="table-changed from:body"
  hx-target="this" hx-swap="morph:outerHTML" hx-ext="morph">
  <output aria-label="Score" data-glow="score">{{ table.score }}</output>
  <form data-action="Add one" hx-post="/add" hx-target="#live" hx-swap="morph:outerHTML" hx-ext="morph">
    <input type="hidden" name="rev" value="{{ table.rev }}">
    <button data-key="n">Add one to {{ table.score }}</button>
  </form>
  <form data-action="Other"><button type="button">Other</button></form>
</div>
"""


class Table:
    """A toy table: its score is the number of different action ids it has been sent."""

    def __init__(self):
        self.ids, self.posts, self.listeners = [], [], set()
        self.extra = 0
        self.streams = True
        self.broken_views = 0

    @property
    def rev(self):
        return len(self.ids) + self.extra

    @property
    def score(self):
        return self.rev

    def changed(self):
        for listener in list(self.listeners):
            listener.put(self.rev)


@pytest.fixture
def toy():
    """A toy server that can be cut off and put back: `toy.down()`, `toy.up()`."""
    table = Table()
    app = Flask("toy", static_folder=STATIC)
    app.jinja_loader = FileSystemLoader(TEMPLATES)
    security.init_app(app, hosts=["cafe.local"])
    live = app.jinja_env.from_string(LIVE)

    @app.get("/")
    def page():
        return render_template_string(PAGE.replace('{% include "live" %}', live.render(table=table)))

    @app.get("/live")
    def view():
        if table.broken_views:
            table.broken_views -= 1
            return "broken", 500
        return live.render(table=table)

    @app.post("/add")
    def add():
        table.posts.append(request.form.to_dict())
        if request.form["action_id"] not in table.ids:
            table.ids.append(request.form["action_id"])
        table.changed()
        return live.render(table=table)

    @app.post("/plain")
    def plain():
        return f"plain {len(request.form['action_id'])}"

    @app.post("/refuse")
    def refuse():
        return "<p>the table has moved on</p>", 409

    @app.get("/stream")
    def stream():
        if not table.streams:
            return "no streams here", 503
        mailbox = queue.Queue()
        table.listeners.add(mailbox)

        def events():
            try:
                yield f"event: rev\ndata: {table.rev}\n\n"
                while True:
                    try:
                        rev = mailbox.get(timeout=0.3)
                    except queue.Empty:
                        yield f"event: beat\ndata: {table.rev}\n\n"
                        continue
                    if rev is None:
                        return
                    yield f"event: rev\ndata: {rev}\n\n"
            finally:
                table.listeners.discard(mailbox)

        return Response(events(), mimetype="text/event-stream")

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = None

    def up(port=0):
        nonlocal server
        server = make_server("127.0.0.1", port, app, threaded=True)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def down():
        for listener in list(table.listeners):
            listener.put(None)
        server.shutdown()
        server.server_close()

    up()
    port = server.port
    table.url, table.down, table.up = f"http://127.0.0.1:{port}", down, lambda: up(port)
    table.lan_url = f"http://cafe.local:{port}"
    yield table
    down()


def score(page):
    return page.get_by_label("Score")


def link(page):
    return page.locator("#link")


def add_one(page):
    page.get_by_role("button", name="Add one").click()


def test_a_change_elsewhere_is_shown_at_once(toy, device):
    red, blue = device("phone"), device("tablet")
    for page in (red, blue):
        page.goto(toy.url)
        expect(link(page)).to_have_text("live")
    add_one(red)
    expect(score(red)).to_have_text("1")
    expect(score(blue)).to_have_text("1")
    expect(link(blue)).to_have_text("live")


def test_every_tap_has_its_own_id_and_the_revision_it_was_made_at(toy, phone):
    phone.goto(toy.url)
    for n in range(1, 4):
        add_one(phone)
        expect(score(phone)).to_have_text(str(n))
    assert len(set(toy.ids)) == 3
    assert all(len(one) == 32 for one in toy.ids)
    assert [post["rev"] for post in toy.posts] == ["0", "1", "2"]


def test_a_refetch_that_failed_is_made_again_at_the_next_beat(toy, phone):
    """The page compares with what it shows; remembering what was last heard lost this change for ever."""
    phone.expected_errors += ["500", "Response Status Error"]
    phone.goto(toy.url)
    expect(link(phone)).to_have_text("live")
    toy.broken_views = 1
    toy.extra = 5
    toy.changed()
    expect(score(phone)).to_have_text("5")


def test_a_tap_made_offline_waits_and_is_counted_once(toy, phone, network_errors):
    phone.expected_errors += network_errors
    phone.goto(toy.url)
    expect(link(phone)).to_have_text("live")
    toy.down()
    add_one(phone)
    waiting = phone.locator("#waiting")
    expect(waiting).to_contain_text("Add one: waiting for the network")
    expect(link(phone)).to_have_text("offline")
    toy.up()
    expect(score(phone)).to_have_text("1")
    expect(waiting).to_be_hidden()
    expect(link(phone)).to_have_text("live", timeout=15_000)
    assert len(toy.ids) == 1


def test_a_waiting_tap_survives_a_reload(toy, phone, network_errors):
    phone.expected_errors += network_errors
    phone.goto(toy.url)
    phone.route("**/add", lambda route: route.abort())
    add_one(phone)
    expect(phone.locator("#waiting")).to_be_visible()
    kept = json.loads(phone.locator("body").evaluate("() => sessionStorage.getItem('waiting')"))
    phone.unroute("**/add")
    phone.reload()
    expect(score(phone)).to_have_text("1")
    assert toy.ids == [kept[0]["id"]]


def test_a_lost_answer_is_not_counted_twice(toy, phone, network_errors):
    phone.expected_errors += network_errors
    phone.goto(toy.url)
    lost = []

    def lose_the_answer(route):
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch())
            route.abort()

    phone.route("**/add", lose_the_answer)
    add_one(phone)
    expect(score(phone)).to_have_text("1")
    expect(phone.locator("#waiting")).to_be_hidden()
    assert len(toy.posts) == 2 and len(set(toy.ids)) == 1
    assert toy.score == 1


def test_without_streams_the_page_asks_again_and_again(toy, phone):
    phone.expected_errors += ["503"]
    toy.streams = False
    phone.goto(toy.url)
    toy.extra = 2
    expect(score(phone)).to_have_text("2", timeout=20_000)
    expect(link(phone)).to_have_text("live")


def test_a_double_tap_counts_once(toy, phone):
    phone.goto(toy.url)
    expect(link(phone)).to_have_text("live")
    phone.get_by_role("button", name="Add one").dblclick()
    expect(score(phone)).to_have_text("1")
    phone.wait_for_timeout(500)
    assert len(toy.posts) == 1


def test_changed_buttons_rest_and_changed_numbers_glow(toy, phone):
    phone.goto(toy.url)
    expect(link(phone)).to_have_text("live")
    phone.clock.install()
    toy.extra = 1
    toy.changed()
    expect(score(phone)).to_have_text("1")
    expect(phone.get_by_role("button", name="Add one")).to_have_attribute("aria-disabled", "true")
    expect(phone.get_by_role("button", name="Other")).not_to_have_attribute("aria-disabled", "true")
    expect(score(phone)).to_have_class("glow")
    phone.clock.run_for(400)
    expect(phone.get_by_role("button", name="Add one")).not_to_have_attribute("aria-disabled", "true")


def test_typing_is_not_disturbed_by_a_change(toy, phone):
    phone.goto(toy.url)
    entry = phone.get_by_label("Entry")
    entry.fill("3Pz 24")
    toy.extra = 1
    toy.changed()
    expect(score(phone)).to_have_text("1")
    expect(entry).to_have_value("3Pz 24")
    expect(entry).to_be_focused()


def test_keys_press_buttons_and_find_the_entry(toy, tablet):
    tablet.goto(toy.url)
    expect(link(tablet)).to_have_text("live")
    tablet.keyboard.press("n")
    expect(score(tablet)).to_have_text("1")
    tablet.keyboard.press("/")
    expect(tablet.get_by_label("Entry")).to_be_focused()
    tablet.keyboard.type("n/")
    expect(tablet.get_by_label("Entry")).to_have_value("n/")


def test_a_number_goes_up_and_down_and_stays_in_its_bounds(toy, phone):
    phone.goto(toy.url)
    count = phone.get_by_label("Count")
    phone.get_by_role("button", name="more").click()
    expect(count).to_have_value("4")
    for _ in range(6):
        phone.get_by_role("button", name="less").click()
    expect(count).to_have_value("0")


def test_a_refusal_is_shown_where_the_form_says(toy, phone):
    phone.expected_errors += ["409"]
    phone.goto(toy.url)
    phone.get_by_role("button", name="Refused").click()
    expect(phone.get_by_text("the table has moved on")).to_be_visible()


def test_the_theme_is_remembered(toy, phone):
    phone.goto(toy.url)
    root = phone.locator("html")
    switch = phone.get_by_role("button", name="Theme")
    switch.click()
    switch.click()
    expect(root).to_have_attribute("data-theme", "dark")
    phone.reload()
    expect(root).to_have_attribute("data-theme", "dark")
    switch.click()
    expect(root).not_to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize("script", [True, False])
def test_plain_forms_pass_the_origin_check_on_an_insecure_lan_address(toy, device, script):
    """Under `Referrer-Policy: no-referrer` browsers would send `Origin: null` here, and be refused."""
    page = device("phone", java_script_enabled=script)
    page.context.add_cookies([{"name": "seat", "value": "1", "url": toy.lan_url}])
    page.expected_errors += ["400", "404"]  # the bare answers name no icon
    page.goto(toy.lan_url)
    if script:
        page.get_by_role("button", name="Plain").click()
        expect(page.get_by_text("plain 32")).to_be_visible()
    else:
        with page.expect_navigation() as navigation:
            page.get_by_role("button", name="Plain").click()
        assert (
            navigation.value.status == 400
        )  # reached the view, which wants the id a real form is rendered with
