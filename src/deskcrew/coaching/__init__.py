"""Help for small models: their replies are arranged, mended, or refused with a reason. One switch turns it off."""
