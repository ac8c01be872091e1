lamp(/hall). lamp(/attic).
colour(/hall, "amber").
