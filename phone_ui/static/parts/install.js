// A page on the phone's home screen, which opens without the hub if the browser allows it.

/**
 * Let people put the table on the home screen, and store the page for times without the hub. Over plain http the page
 * cannot be stored, and the browser says so itself.
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
    return; // a private window, or an untrusted certificate: the page works only with the hub
  }
}
