"""Web search through a service that the user chose: the interface of a provider, and the three providers.

:func:`deskcrew.environments.search.factory.create` makes one from settings. docs/how-to/web-search.md is the user's guide.
"""
