"""What one seat may see, and in which words."""
