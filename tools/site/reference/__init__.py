"""Writes the source tree of the documentation site: pages of the repository, and generated ones."""
