"""Searching the web through a service that the user chose: what a provider is, and the three there are.

:func:`deskcrew.search.factory.create` makes one from settings. docs/how-to/web-search.md tells a user how to set one up.
"""
