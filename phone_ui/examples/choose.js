// What a player plays: put a better idea than chance here. Both examples beside this file ask it.

const below = (/** @type {number} */ limit) => Math.floor(Math.random() * limit);

/**
 * Return the answer to one of the offers, a move with its values. `view` is what the seat may see; chance needs none of it.
 * @param {any} _view
 * @param {any[]} offers
 */
export function choose(_view, offers) {
  const offer = offers[below(offers.length)];
  return Object.fromEntries(Object.entries(offer).map(([name, offered]) => [name, value(offered)]));
}

/**
 * Return a legal value of a parameter; of a number or a subset one that costs little.
 * @param {any} offered
 */
function value(offered) {
  if (offered?.one_of) return offered.one_of[below(offered.one_of.length)];
  if (offered?.order) return mixed(offered.order);
  if (offered?.choose) return mixed(offered.from).slice(0, Math.max(1, offered.choose.min));
  if (offered?.faces) return Array.from({ length: offered.faces.count }, () => 1 + below(offered.faces.sides));
  if (offered?.max === undefined) return offered; // it is fixed
  const { min, max, step = 1 } = offered;
  return min + step * below(Math.min(3, Math.floor((max - min) / step) + 1));
}

/** Return a list in an order by chance. */
function mixed(/** @type {any[]} */ list) {
  const keyed = list.map((one) => ({ key: Math.random(), one }));
  return keyed.sort((first, second) => first.key - second.key).map(({ one }) => one);
}
