"""What a roll means in a word, on each side of what it needs."""

from __future__ import annotations

from hub.authoring.laws import beginning, steps
from hub.engine.text import english
from hub.games.big_idea import dollars

SEEDS = range(12)


def test_in_bid_and_bait_a_roll_of_the_bid_succeeds_and_one_below_it_is_too_low() -> None:
    seen, known = set[str](), 0
    for seed in SEEDS:
        match, random = beginning("bid-and-bait", seed)
        known = len(match.events)
        for _ in steps(match, random):
            new, known = match.events[known:], len(match.events)
            rolls = [event for event in new if event.kind == "roll"]
            table = match.state.table
            if not rolls or match.state.phase != "take" or table.turn != rolls[-1].data["seat"]:
                continue
            verdict, short = rolls[-1].data.get("verdict"), match.state.seats[table.turn].bid - table.rolled[0]
            if len(table.rolled) > 1:
                assert verdict is None, "one of two dice is still to be kept"
                seen.add("two dice")
            else:
                assert english(verdict) == (f"{short} too low" if short > 0 else "Success!")
                seen.add("just enough" if short == 0 else "just too low" if short == 1 else "")
    assert {"two dice", "just enough", "just too low"} <= seen


def test_in_the_big_idea_a_product_stays_above_its_shares_and_goes_public_up_to_them() -> None:
    seen = set[int]()
    for seed in SEEDS:
        match, random = beginning("big-idea", seed)
        for _ in steps(match, random):
            rolls = [event for event in match.events if event.kind == "roll"]
            rolled = match.state.table.rolled
            if rolls and rolled and rolls[-1].data["product"] == rolled.product:
                face, shares = rolls[-1].data["faces"][0], rolled.count
                assert english(rolls[-1].data["verdict"]) == (
                    "it stays" if face > shares else f"pays {dollars(rolled.pays)} per share"
                )
                seen.add(face - shares)
    assert {0, 1} <= seen, "a roll of exactly the shares, and one above"
