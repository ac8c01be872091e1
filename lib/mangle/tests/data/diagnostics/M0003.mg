path("C:\qux").
