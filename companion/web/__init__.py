"""Flask: pages, fragments, live updates, seats, organiser, API."""
