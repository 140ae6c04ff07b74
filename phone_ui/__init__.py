"""The web port: pages of phones, kiosk, staff and bench, and their transport."""
