// A page that is at home on the phone: an icon on its home screen, and there without the hub where the browser allows it.

/**
 * Let the table be put on the home screen, and have the page kept for when the hub is not to be reached. A page that came
 * over plain http cannot be kept: then the browser says so itself.
 * @param {string} table
 */
export async function install(table) {
  const link = document.createElement("link");
  link.rel = "manifest";
  link.href = `/t/${table}/app.webmanifest`;
  document.head.append(link);
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register("/worker.js");
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
    active?.postMessage([location.pathname, ...new Set(loaded)]);
  } catch {
    return; // a private window, or a certificate that the phone does not trust: the page works while the hub is there
  }
}
