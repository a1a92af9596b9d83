"""The data folder goes while a table is open: the page shows it, and a tap is refused with words."""

import re

from playwright.sync_api import expect


def test_a_tap_while_the_data_folder_is_gone_is_answered_with_words(start_server, phone):
    server = start_server()
    phone.goto(f"{server.url}/new/second-kharkov/historical")
    phone.get_by_role("button", name=re.compile("Open the table|Found|Start|Set up", re.I)).last.click()
    code = re.search(r"/t/(\w+)/", phone.url)[1]
    phone.goto(f"{server.url}/t/{code}/table")
    badge = phone.locator("#link")
    expect(badge).to_have_text("live")
    phone.expected_errors += ["503", "htmx:"]
    server.data.rename(server.data.with_name("away"))
    expect(badge).not_to_have_text("live")
    phone.get_by_role("button", name=re.compile("Set up the scenario")).click()
    expect(phone.locator("#toast")).to_contain_text("The companion's data folder is gone")
    server.data.with_name("away").rename(server.data)
    expect(badge).to_have_text("live")
    phone.get_by_role("button", name=re.compile("Set up the scenario")).click()
    expect(phone.locator("#toast")).not_to_contain_text("is gone")
