"""The fonts of static/fonts are kept by a browser for good: a file's name changes with its content."""

import mimetypes

from flask import Response

YEAR = 365 * 24 * 3600
WOFF2 = "font/woff2"
mimetypes.add_type(WOFF2, ".woff2")  # Python learnt it only in 3.14


def kept(response: Response) -> Response:
    """A static file; if it is a font, one to be asked for once."""
    if response.mimetype == WOFF2:
        response.cache_control.no_cache = None
        response.cache_control.max_age = YEAR
        response.cache_control.immutable = True
    return response
