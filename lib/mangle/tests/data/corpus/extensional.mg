Decl reading(Sensor, Value) descr [extensional()] bound [/name, /number].
high(S) :- reading(S, V), V > 10.
