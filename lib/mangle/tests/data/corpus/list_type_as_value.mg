n(.List</name>).
