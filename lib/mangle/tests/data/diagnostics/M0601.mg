#! policy
permitted(Tool) :- granted(Tool).
granted(/read).
#! domain
permitted(/delete_everything).
