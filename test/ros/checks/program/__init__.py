"""Checks of the program: arguments, signals, networks and documented commands."""
