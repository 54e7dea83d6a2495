"""What a teacher needs to run the book as a course."""
