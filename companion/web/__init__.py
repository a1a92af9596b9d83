"""Flask: pages, fragments, live updates, seats, organiser, API."""

import gc

# Whoever imports this serves tables. All of the memory is looked through rarely: with 200 tables in it that stops every
# one of them for 0.2 to 0.6 s. With Python's own thresholds it was every eight seconds at 40 taps a second, one tap in
# twenty waited for it, and a start took 8 ms longer. What a request leaves behind is found while it is young, so the
# memory does not grow by it.
gc.set_threshold(5_000, 20, 100)
