"""What is done with a hub from the command line and by systemd, beside running it."""
