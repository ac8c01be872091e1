price(/tea, €3).
