"""The course's notebooks: building, running and checking them."""
