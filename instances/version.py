"""The version of planoracle; the build reads it from here, and asking the installed package would cost more."""

VERSION = "0.1.0"
