"""Checks of sensors."""
