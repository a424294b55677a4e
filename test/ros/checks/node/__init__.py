"""Checks of topics, services, parameters and profiles."""
