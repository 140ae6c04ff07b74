"""What holds for every test here."""

from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

# Hypothesis mixes numbers and words that it finds in the loaded modules into what it draws. A law would then be tried on
# other matches alone than in a whole run, and on others again after every edit: it finds none here.
providers._get_local_constants = Constants

settings.register_profile("table", deadline=None)  # a busy machine is no failure
settings.load_profile("table")
