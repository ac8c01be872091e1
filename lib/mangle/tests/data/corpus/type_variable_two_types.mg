Decl first(List, Elem) bound [.List<X>, X].
first([1, 2], "one").
