"""To be filled."""

from flask import Blueprint

bp = Blueprint("sheets", __name__)
