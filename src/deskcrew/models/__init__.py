"""Language models behind one protocol: :class:`deskcrew.models.client.Model`."""
