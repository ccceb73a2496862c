"""Every bound beside what is observed, and the cases that break printed ones."""
