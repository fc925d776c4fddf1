"""What is never kept and never obeyed."""
