"""To be filled."""

from flask import Blueprint

bp = Blueprint("book", __name__)
