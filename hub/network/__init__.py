"""Communication between the hub, phones and other hubs: MQTT, the broker, messages, encryption, the machine's address."""
