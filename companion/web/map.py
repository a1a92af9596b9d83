"""To be filled."""

from flask import Blueprint

bp = Blueprint("map", __name__)
