"""One table while the hub runs: its match, dice, seats, boxes and notices. Begin with `loop`."""
