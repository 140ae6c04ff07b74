// Goofspiel in boardgame.io's API: the game of hub/games/goofspiel.py with thirteen cards and tie = discard. What everybody
// holds and which prizes are to come is public there and here.
//
// Written the way that is quickest for boardgame.io: one turn for the whole match, in which everybody is active, and
// moves that are taken however old the state they were made on, or it would take one of six bids that come at once.

import core from "boardgame.io/dist/cjs/core.js";

const { ActivePlayers, INVALID_MOVE } = core;
export const CARDS = 13;

const cards = () => Array.from({ length: CARDS }, (_, i) => i + 1);

function bid({ G, playerID }, card) {
  const players = Object.values(G.players);
  if (!G.players[playerID].hand.includes(card)) return INVALID_MOVE;
  G.players[playerID].bid = card;
  if (players.some((player) => player.bid === null)) return;
  award(G, players);
  if (G.prize === null || G.prizes.length) return;
  for (const player of players) player.bid = player.hand[0]; // the last card goes by itself
  award(G, players);
}

function award(G, players) {
  const best = Math.max(...players.map((player) => player.bid));
  const takers = players.filter((player) => player.bid === best);
  if (takers.length === 1) takers[0].score += G.prize;
  G.revealed = players.map((player) => player.bid);
  for (const player of players) {
    player.hand.splice(player.hand.indexOf(player.bid), 1);
    player.bid = null;
  }
  G.prize = G.prizes.shift() ?? null;
}

const seen = (player) => ({ score: player.score, hand: player.hand, locked: player.bid !== null });

export const Goofspiel = {
  name: "goofspiel",
  setup: ({ ctx, random }) => {
    const prizes = random.Shuffle(cards());
    const players = Object.fromEntries(ctx.playOrder.map((id) => [id, { hand: cards(), bid: null, score: 0 }]));
    return { prize: prizes.shift(), prizes, revealed: [], players };
  },
  turn: { activePlayers: ActivePlayers.ALL },
  moves: { bid: { move: bid, client: false, ignoreStaleStateID: true, redact: true } },
  endIf: ({ G }) => (G.prize === null ? { scores: Object.values(G.players).map((player) => player.score) } : undefined),
  playerView: ({ G, playerID }) => {
    const players = {};
    for (const [id, player] of Object.entries(G.players)) {
      players[id] = id === playerID ? { ...seen(player), bid: player.bid } : seen(player);
    }
    const coming = [...G.prizes].sort((a, b) => a - b);
    return { ...G, prizes: coming.length, coming, players };
  },
};

/** The same game with moves as boardgame.io takes them by default: what was made on an older state is dropped. */
export const Default = {
  ...Goofspiel,
  name: "goofspiel-default",
  moves: { bid: { move: bid, client: false, redact: true } },
};
