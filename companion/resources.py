"""Where templates, static files and scenarios are: inside an installed package, beside a checked-out one."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
ROOT = _PACKAGE if (_PACKAGE / "templates").is_dir() else _PACKAGE.parent
TEMPLATES = ROOT / "templates"
STATIC = ROOT / "static"
SCENARIOS = ROOT / "scenarios"
