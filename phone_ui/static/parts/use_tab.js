// The open tab of a phone: the browser's Back button closes it, and does not leave the table.

import { useEffect, useState } from "../lib/html.js";

/** @import { TabName } from "./tabs.js" */

/**
 * Return the open tab, or null, and a function that opens another one or closes it.
 * @returns {[TabName | null, (name: TabName | null) => void]}
 */
export function useTab() {
  const [tab, setTab] = useState(/** @type {TabName | null} */ (null));
  useEffect(() => {
    const onBack = () => setTab(null);
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  const open = (/** @type {TabName | null} */ name) => {
    const isOver = Boolean(history.state?.tab); // a history entry of its own is above the table's
    if (name && !isOver) history.pushState({ tab: true }, "");
    if (!name && tab && isOver) history.back();
    setTab(name);
  };
  return [tab, open];
}
