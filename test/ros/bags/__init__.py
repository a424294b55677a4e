"""Scripts that read bags as their users do."""
