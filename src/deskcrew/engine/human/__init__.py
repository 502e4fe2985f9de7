"""The human in the loop (COLA 3.4). The engine never reads a keyboard: it asks a
:class:`~deskcrew.engine.human.human.Human`."""
