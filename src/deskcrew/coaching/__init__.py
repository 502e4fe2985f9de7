"""Help for small models: their replies are arranged, corrected, or refused with a reason. One switch turns it off."""
