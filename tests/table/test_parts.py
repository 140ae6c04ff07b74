"""The parts of a table: one list, in whose order the loop restores, updates and times them."""

from __future__ import annotations

from collections.abc import Iterator

from hub.table.base.part import Group, Part
from tests.table.fakes import TableRig


def within(group: Group) -> Iterator[Part]:
    for part in group.parts:
        yield part
        if isinstance(part, Group):
            yield from within(part)


def test_no_part_of_a_table_is_forgotten_by_its_loop() -> None:
    parts = TableRig().table._parts
    known = list(within(parts))
    held = [
        one for group in (parts, parts.people, parts.staff) for one in vars(group).values() if isinstance(one, Part)
    ]
    assert len(held) > len(parts.parts)
    assert [type(one).__name__ for one in held if one not in known] == []


def test_no_part_is_asked_twice() -> None:
    known = list(within(TableRig().table._parts))
    assert len(set(known)) == len(known)


class Told(Part):
    """A part that notes what it is asked, and says that something is due `at`, and has changed."""

    def __init__(self, told: list[str], name: str, at: float | None, changed: bool) -> None:
        self.told, self.name, self.at, self.changed = told, name, at, changed

    def restore(self) -> None:
        self.told.append(f"restore {self.name}")

    def update(self) -> None:
        self.told.append(f"update {self.name}")

    def run_due(self) -> bool:
        self.told.append(f"run {self.name}")
        return self.changed

    @property
    def due_at(self) -> float | None:
        return self.at


def test_a_group_asks_each_of_its_parts_in_their_order() -> None:
    told: list[str] = []
    group = Group()
    group.parts = (Told(told, "a", None, True), Told(told, "b", 7.0, False), Told(told, "c", 5.0, False))
    group.restore()
    group.update()
    assert group.run_due(), "one has changed, and the others are asked all the same"
    assert told == [f"{what} {name}" for what in ("restore", "update", "run") for name in "abc"]
    assert group.due_at == 5.0, "the first of them"


def test_a_group_of_parts_for_which_nothing_is_due_has_nothing_due() -> None:
    group = Group()
    group.parts = (Part(), Told([], "a", None, False))
    assert (group.due_at, group.run_due()) == (None, False)
