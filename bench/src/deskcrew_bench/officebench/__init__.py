"""Tasks of OfficeBench over workbooks, documents, mail and calendars, done in a folder and checked by its own checker."""
