"""Undo in a toast: the seat's main page gets its live part back, every other page looks again for itself."""

import pytest
from hall import Hall, text_of


@pytest.fixture
def hall(tmp_path):
    return Hall(tmp_path)


@pytest.mark.parametrize(("page", "into"), [("", "#live"), ("/map", "#sheet"), ("/units", "#sheet")])
def test_undo_stays_on_its_page(hall, page, into):
    headers = {
        "Origin": "http://localhost",
        "HX-Request": "true",
        "HX-Target": "sheet",
        "HX-Current-URL": f"http://localhost/t/{hall.code}/soviet{page}",
    }
    form = {"side": "soviet", "name": "7 Cav", "hex": "2421"}
    answer = hall.clients["soviet"].post(f"/t/{hall.code}/soviet/do/add-unit", data=form, headers=headers)
    assert "take-back" in text_of(answer) and f'hx-target="{into}"' in text_of(answer)
