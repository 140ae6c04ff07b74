"""Pages and transport of phones, kiosk and bench: one web port."""
