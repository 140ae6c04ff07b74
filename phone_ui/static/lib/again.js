// When the hub is crowded, it may answer 503 for a file of this page, and without that file the page stays blank.
// Then the page reloads after a few seconds. This is not a module, so that it runs before a module can fail.

addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof Element && target.matches("script,[rel=stylesheet]"))) return;
    // Replace the whole document, which may have no body yet. Further missing files change nothing: only one reload counts.
    // Modules that were loaded all the same draw their page into the hidden element.
    document.documentElement.innerHTML =
      "<p role=status>One moment: this page tries again. / Moment, bitte.</p><div id=page hidden></div>";
    setTimeout(() => location.reload(), 5e3 + Math.random() * 5e3); // at a random time, so that not all pages reload at once
  },
  true,
);
