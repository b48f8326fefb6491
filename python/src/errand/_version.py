"""Generated from package.json."""

VERSION = "0.2.0"
