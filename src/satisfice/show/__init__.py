"""What people see: tables, progress, sentences. Imported by a command when it has something to show."""
