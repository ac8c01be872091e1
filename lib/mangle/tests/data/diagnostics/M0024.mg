Package myTools!
