"""The default model: one setting for every stream, and a memory that names regimes."""
