"""Checks of vehicles, arms and autopilots."""
