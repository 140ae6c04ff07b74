// The public state of a table as a stream, with its own heartbeat: silence means reconnect, never an old picture
// that looks alive.

/** Is message `b` at least as new as `a`? */
export function notOlder(a, b) {
  return !a || b.epoch > a.epoch || (b.epoch === a.epoch && b.seq >= a.seq);
}

/**
 * Follow an address of server-sent events. `onState` gets each JSON, `onAway` true when nothing was heard for
 * `patience` ms and false again with the next word. Returns {wake, close}.
 */
export function follow(address, { onState, onAway, patience = 15_000 }) {
  let source = null;
  let heard = Date.now();
  let away = false;
  let closed = false;

  function word() {
    heard = Date.now();
    if (away) onAway((away = false));
  }

  function open() {
    source?.close();
    if (closed) return;
    source = new EventSource(address);
    source.onopen = word;
    source.addEventListener("beat", word);
    source.onmessage = ({ data }) => {
      word();
      onState(JSON.parse(data));
    };
  }

  const timer = setInterval(() => {
    const silent = Date.now() - heard;
    if (silent > patience) {
      if (!away) onAway((away = true));
      heard = Date.now() - patience + 2_000;
      open();
    }
  }, 1_000);

  open();
  return {
    wake: open,
    close() {
      closed = true;
      clearInterval(timer);
      source.close();
    },
  };
}
