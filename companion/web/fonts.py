"""The fonts of static/fonts are kept by a browser for good: a file's name changes with its content."""

import mimetypes

from flask import Flask, Response, request

YEAR = 365 * 24 * 3600
WOFF2 = "font/woff2"


def init_app(app: Flask) -> None:
    """Serve font files under their own type, to be asked for once."""
    mimetypes.add_type(WOFF2, ".woff2")  # Python learnt it only in 3.14

    @app.after_request
    def keep(response: Response) -> Response:
        if request.endpoint == "static" and response.mimetype == WOFF2:
            response.cache_control.no_cache = None
            response.cache_control.max_age = YEAR
            response.cache_control.immutable = True
        return response
