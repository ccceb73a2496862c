"""What the command carries out: models by name, plans, runs."""
