from pathlib import Path

Path("Desktop/todo_list_Jan_1").rename("Desktop/todo_list_Jan_2")
