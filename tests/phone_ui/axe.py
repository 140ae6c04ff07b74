"""What axe-core finds on a page, and what it does not measure: how large targets are."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.phone_ui.fake_hub import MODULES

SOURCE = MODULES / "axe-core" / "axe.min.js"
# WCAG 2.2 AA, and what its authors call best practice. A target under the dock can be scrolled out from there, and all
# are measured by `small_targets`.
RUN = """async () => {
  const rules = { "target-size": { enabled: false } };
  const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run(document, { runOnly: { type: "tag", values }, rules, resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any, all, none }) => `${id}: ${html.slice(0, 150)} ${[...any, ...all, ...none][0]?.message ?? ""}`));
}"""
ENHANCED = """async (parts) => {
  const include = parts.filter((part) => document.querySelector(part)).map((part) => [part]);
  if (!include.length) return [];
  const found = await axe.run({ include }, { runOnly: ["color-contrast-enhanced"], resultTypes: ["violations"] });
  return found.violations.flatMap(({ nodes }) =>
    nodes.map(({ html, any }) => `7:1: ${html.slice(0, 150)} ${any[0]?.message ?? ""}`));
}"""
MATTERS = [".want-block", ".question", ".dock", ".secret", ".dice-part", ".now-line", ".table-question", ".notice"]
"""What a person needs to play: its text stands 7:1."""
DECIDES = ".dock .act, .number-keys .choice, .stepper .step, .face-pad .act"
"""What answers: 64 px at least, the rest 48. On a low phone (700 px) that is 48, too: all of it has to stand above the dock."""
SMALL = """([decides, wide]) => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
  const all = [...document.querySelectorAll(
    "button, input, select, summary, a[href], [role=button]:not(button), .choice, .setting"
  )];
  const small = [];
  for (const one of all) {
    if (!seen(one) || one.closest(".unseen, p a, .frame")) continue;
    const target = one.matches("input") ? (one.closest("label") ?? one) : one;
    const { width, height } = target.getBoundingClientRect();
    const least = target.matches(decides) && innerHeight > 700 ? 64 : 48;
    if (height < least - 0.5 || width < Math.min(least, wide) - 0.5)
      small.push(`${Math.round(width)}x${Math.round(height)} < ${least}: ${target.outerHTML.slice(0, 120)}`);
  }
  return [...new Set(small)];
}"""


def findings(page: Page) -> list[str]:
    """Return what axe-core finds, a line each, with the texts that matter and stand less than 7:1."""
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate(SOURCE.read_text("utf-8"))
    return [*page.evaluate(RUN), *page.evaluate(ENHANCED, MATTERS)]


def small_targets(page: Page) -> list[str]:
    """Return the controls that are less than 48 px high or wide, 64 px for what decides; a control may be narrow in a row."""
    found: list[str] = page.evaluate(SMALL, [DECIDES, 44])
    return found
