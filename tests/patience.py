"""How long a test waits for what must happen: as long as the busiest machine needs, as only a test that fails takes it."""

PATIENCE = 60.0
"""Real seconds."""
