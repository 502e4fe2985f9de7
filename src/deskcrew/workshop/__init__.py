"""Skills in the making: kept from proven runs, taught by a person, made as code, learnt in lessons, and tried."""
