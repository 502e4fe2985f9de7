"""What small models' replies need: they are arranged, mended, and refused with a reason. One switch turns it off."""
