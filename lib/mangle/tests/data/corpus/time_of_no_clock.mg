at("2024-03-10T02:30:00", "America/Los_Angeles").
at("2024-03-31T02:30:00", "Europe/Berlin").
at("2024-11-03T01:30:00", "America/Los_Angeles").
at("2024-10-27T02:30:00", "Europe/Berlin").
instant(Z, T) :- at(S, Z), T = fn:time:parse_civil(S, Z).
