// A crowd may leave no room for one file of this page: the hub answers 503, and without that file the page stays blank.
// So it loads once more a few seconds later. This is no module, so that it runs before one of those can fail.

let loadsAgain = false;

addEventListener(
  "error",
  ({ target }) => {
    const isPart =
      target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === "stylesheet");
    if (loadsAgain || !isPart) return;
    loadsAgain = true;
    const said = document.createElement("p");
    said.setAttribute("role", "status");
    said.textContent =
      "One moment. This page tries again in a few seconds. / Einen Moment. Diese Seite versucht es gleich noch einmal.";
    const show = () => document.body.replaceChildren(said);
    if (document.body) show();
    else addEventListener("DOMContentLoaded", show);
    setTimeout(() => location.reload(), 5000 + Math.random() * 5000); // not all of the crowd in the same instant
  },
  true,
);
