"""How the hub and the phones reach each other: MQTT, the broker, messages, encryption, the machine's address."""
