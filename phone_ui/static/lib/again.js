// A crowd may leave no room for one file of this page: the hub answers 503, and without that file the page stays blank.
// So it loads once more a few seconds later. This is no module, so that it runs before one of those can fail.

addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof Element && target.matches("script,[rel=stylesheet]"))) return;
    // Of the whole document, which may have no body yet. A second missing file changes nothing: the first reload counts.
    // A module that came all the same draws its page where nobody sees it.
    document.documentElement.innerHTML =
      "<p role=status>One moment: this page tries again. / Moment, bitte.</p><div id=page hidden></div>";
    setTimeout(() => location.reload(), 5e3 + Math.random() * 5e3); // not all of the crowd in the same instant
  },
  true,
);
