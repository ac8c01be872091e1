# Nothing here depends on a request, but what holds now depends on the time of it.
Decl open(Place) temporal bound [/name].
open(/shop)@[2024-01-01, 2024-12-31].
open(/bar)@[2025-01-01, _].
open(/kiosk)@[now].
here(P) :- open(P)@[now].
soon(P) :- <+[0d, 365d] open(P).
place(P) :- open(P)@[S, E].
