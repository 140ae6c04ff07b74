// Opens the phone pages without the hub: it stores the last answers, and shows them if there are no newer ones. Browsers
// run it over https, or on the hub's own machine.

const PAGES = "pages";
const PATIENCE = 3_000;
const OURS = /^\/(static\/.*|vendor\/.*|games\/.*|languages.*|t\/[^/]+)?$/;

/** @type {any} */
const worker = self;

/**
 * Return the name under which to store an answer; null for streams, claims, and other requests that are not pages.
 * @param {Request} request
 */
function nameOf({ method, url }) {
  const { origin, pathname } = new URL(url);
  return method === "GET" && origin === location.origin && OURS.test(pathname) ? pathname : null;
}

/** @param {string} name */
const cachedPage = async (name) => (await caches.open(PAGES)).match(name);

/**
 * Return the hub's answer and store it; the stored one if the hub is silent.
 * @param {Request} request
 * @param {string} name
 * @returns {Promise<Response>}
 */
async function answer(request, name) {
  const fetching = fetch(request).then(async (got) => {
    if (got.ok) await (await caches.open(PAGES)).put(name, got.clone());
    return got;
  });
  const late = new Promise((_, give) => setTimeout(give, PATIENCE));
  try {
    return /** @type {Response} */ (await Promise.race([fetching, late]));
  } catch {
    fetching.catch(() => undefined);
    return (await cachedPage(name)) ?? fetching;
  }
}

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const name = nameOf(event.request);
  if (name) event.respondWith(answer(event.request, name));
});
// The first visit was loaded before this worker: its page sends the list of its files.
worker.addEventListener("message", (/** @type {any} */ event) => {
  const names = event.data.filter((/** @type {any} */ name) => OURS.test(name));
  event.waitUntil(caches.open(PAGES).then((cache) => cache.addAll(names)));
});
