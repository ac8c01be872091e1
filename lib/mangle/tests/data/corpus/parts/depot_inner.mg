Package depot.inner!
lost(/b).
