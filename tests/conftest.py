"""What holds for every test here."""

from hypothesis import settings

settings.register_profile("table", deadline=None)  # a busy machine is no failure
settings.load_profile("table")
