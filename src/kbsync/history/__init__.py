"""What git knows of the content tree. Only reads."""
