"""Language models behind one front door: :class:`deskcrew.models.client.Model`."""
