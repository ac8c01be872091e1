lamp(/hall).
lamp(/hall, "amber").
