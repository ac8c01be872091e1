lamp(/hall)
lamp(/attic).
