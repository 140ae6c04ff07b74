"""One target under atheris, which looks for inputs that reach new lines: `python -m tests.fuzz.with_atheris TARGET SECONDS SEED`.

A process for each target, because the fuzzer takes it over and ends it. Only our own packages are instrumented.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["hub", "drivers", "phone_ui"]):
    from tests.fuzz import targets

from tests.fuzz.mutate import MOST_BYTES


def main(name: str, seconds: str, seed: str) -> None:
    """Fuzz; the process ends with 0, or with the finding."""
    corpus = targets.FOUND / f"corpus-{name}"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(targets.TARGETS[name].seeds()):
        (corpus / f"seed-{number}").write_bytes(one)
    limits = [
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-max_len={MOST_BYTES}",
        "-verbosity=0",
        "-print_final_stats=1",
    ]
    atheris.Setup(
        [sys.argv[0], *limits, f"-artifact_prefix={targets.FOUND}/{name}-", f"{corpus}"], targets.TARGETS[name].run
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
