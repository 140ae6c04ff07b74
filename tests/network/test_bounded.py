"""The MQTT client of the hub waits for brokers whatever files it gets."""

import contextlib
import os
import resource
import socket

from paho.mqtt.enums import MQTTErrorCode, MQTTProtocolVersion

from hub.network.bounded import BoundedClient


def test_a_connection_lasts_where_a_crowd_holds_more_files_than_select_knows_until_the_broker_ends_it() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as crowd:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, hard), hard))
        crowd.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        server = crowd.enter_context(socket.create_server(("127.0.0.1", 0)))
        while (file := os.open(os.devnull, os.O_RDONLY)) < 1024:
            crowd.callback(os.close, file)
        crowd.callback(os.close, file)
        client = BoundedClient(1000, "a", MQTTProtocolVersion.MQTTv311)
        client.connect_bounded("127.0.0.1", server.getsockname()[1], 10)
        broker, _ = server.accept()
        with broker:
            sock = client.socket()
            assert sock
            assert sock.fileno() > 1024
            assert client.loop(0) is MQTTErrorCode.MQTT_ERR_SUCCESS
            assert broker.recv(1) == b"\x10", "a CONNECT"
        assert client.loop(1) is not MQTTErrorCode.MQTT_ERR_SUCCESS
        assert client.loop(0) is MQTTErrorCode.MQTT_ERR_NO_CONN
