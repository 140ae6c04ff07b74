"""The owner's configuration as staff read and change it on their page. The file stays the only place that says it.

A change is tried as a whole: the new text is made, checked as the hub checks its file at a start, and only then written.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import logging
import threading
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from hub import config as configuration
from hub import packages, toml, toml_edit
from hub.config import Config, DevicePart
from hub.devices import driver_names, driver_of, load_driver, packaged_drivers
from hub.engine.text import Text, say
from hub.errors import ConfigError, HubError
from hub.files import read_file, replace_file, write_private
from hub.network.staff_messages import SettingField, SettingPart, SettingRefused, Settings
from hub.network.staff_verbs import ChangeSettingsArgs, SettingChange
from hub.settings import form
from hub.toml_structs import KeyPath, SettingError, ValueRefused, convert

log = logging.getLogger(__name__)

PASSWORDS = "passwords"
"""The folder, beside the database, of passwords that staff have typed."""
LONGEST_PASSWORD = 1000


class SettingsDesk:
    """Read and change the owner's file. Thread-safe.

    - `file`: the owner's file; None if the hub runs without one.
    - `running`: the configuration with which the hub was started.
    - `check`: tries a whole configuration without starting anything. Raises HubError.
    - `apply`: applies at once what can be applied, and returns the configuration that the hub runs with then.
    """

    def __init__(
        self,
        file: str | None,
        running: Config,
        check: Callable[[Config], object],
        apply: Callable[[Config], Config] | None = None,
    ) -> None:
        self._file = Path(file).expanduser().absolute() if file else None
        self._running, self._check, self._apply = running, check, apply
        self._passwords: set[str] = set()  # those that were replaced since the start
        self._lock = threading.Lock()

    def read(self, drivers: Sequence[str] = ()) -> Settings:
        """Return the configuration and its form, with those of more `drivers`. Raise HubError."""
        with self._lock:
            return self._settings(drivers)

    def change(self, asked: ChangeSettingsArgs) -> tuple[str, Settings]:
        """Change the file, all or nothing. Return a sentence, "" if the change was refused, and what the page shows now.

        Raise HubError if the file cannot be read or written.
        """
        with self._lock:
            try:
                self._make_changes(asked)
            except _Refused as refused:
                settings = self._settings(asked.drivers)
                return "", msgspec.structs.replace(settings, refused=SettingRefused([*refused.path], refused.sentence))
            settings = self._settings(asked.drivers)
        if settings.waiting:
            return say("Saved. Some changes take effect after a restart of the hub."), settings
        return say("Saved."), settings

    def add_device(self, block: DevicePart) -> bool:
        """Add a `[[device]]` block to the file, and return whether it needs no restart. Raise HubError: then nothing has changed."""
        with self._lock:
            file = self._owners_file
            document = toml.read(file, str(file))
            count = len(document.table.get("device", []))
            value = {"driver": block.driver, "table": block.table, **block.settings}
            change = SettingChange(["device", count], value)
            try:
                config = self._make_changes(
                    ChangeSettingsArgs(_digest(document.text.encode()), [change], [block.driver])
                )
            except _Refused as refused:
                raise HubError(refused.sentence) from None
            return self._running.device == config.device

    @property
    def planned(self) -> Config:
        """Return the configuration of the next start: that of the file, if the hub could start with it."""
        try:
            file = self._owners_file
            return configuration.from_table(toml.read(file, str(file)).table, file.parent)
        except HubError:
            return self._running

    # --- reading ---------------------------------------------------------------------------------

    @property
    def _owners_file(self) -> Path:
        if self._file is None:
            raise HubError(
                say("This hub runs without a configuration file. Start it with `table-hub run --config FILE`.")
            )
        return self._file

    def _settings(self, drivers: Sequence[str]) -> Settings:
        file = self._owners_file
        document = toml.read(file, str(file))
        fault: str = ""
        waiting: list[str] = []
        try:
            config = configuration.from_table(document.table, file.parent)
            waiting = [*_differences(self._running, config), *sorted(self._passwords)]
        except SettingError as error:
            fault = _sentence(error)
        parts = form.parts(_known_drivers(document.table, drivers), _ids(document.table))
        values = {name: _masked(value, parts, name) for name, value in document.table.items()}
        return Settings(
            str(file), _digest(document.text.encode()), dict(form.GROUPS), parts, form.driver_offers(), values, waiting, fault
        )  # fmt: skip

    # --- changing --------------------------------------------------------------------------------

    def _make_changes(self, asked: ChangeSettingsArgs) -> Config:
        """Change the file, and return the configuration in it. Raise _Refused or HubError: then nothing has changed."""
        file = self._owners_file
        try:
            before = read_file(file)
        except OSError as error:
            raise HubError(say("{file} cannot be read ({error}).", file=str(file), error=error.strerror)) from None
        if _digest(before) != asked.seen:
            raise HubError(
                say(
                    "Somebody has changed the file since you opened this page. Load the settings again, then make your changes."
                )
            )
        parts = form.parts(_known_drivers(tomllib.loads(before.decode()), asked.drivers), [])
        passwords: dict[Path, bytes] = {}
        text = before.decode()
        for change in asked.changes:
            text = self._with_change(text, change, parts, passwords)
        _check_fixed(tomllib.loads(before.decode()), tomllib.loads(text), parts)
        config = self._checked(text, asked.changes)
        _write(file, text.encode(), passwords)
        names = [_name(change.at) for change in asked.changes]
        log.info("staff: settings were changed: %s", ", ".join(names))
        self._passwords |= {_name((at.stem, "password_file")) for at in passwords}
        if self._apply:
            self._running = self._apply(config)
        return config

    def _with_change(
        self, text: str, change: SettingChange, parts: Mapping[str, SettingPart], passwords: dict[Path, bytes]
    ) -> str:
        path, value = tuple(change.at), change.to
        field = _field_at(path, parts, tomllib.loads(text))
        if field and field.kind == "toml" and isinstance(value, str):
            value = _toml_value(value, path, field)
        if field and field.kind == "password" and isinstance(value, dict):
            at = Path(self._running.hub.state) / PASSWORDS / f"{path[0]}.txt"
            passwords[at] = _password(value, path)
            value = str(at)
        try:
            return toml_edit.changed(text, path, value)
        except (toml_edit.CannotEdit, ValueError, TypeError):
            raise _Refused(
                say("This change does not fit the file. Change {key} by hand.", key=_name(path)), path
            ) from None

    def _checked(self, text: str, changes: Sequence[SettingChange]) -> Config:
        """Return the configuration of a file with this text. Raise _Refused."""
        try:
            config = configuration.from_table(tomllib.loads(text), self._owners_file.parent)
            for number, block in enumerate(config.device):
                _check_driver(number, block)
            self._check(config)
        except SettingError as error:
            raise _Refused(_sentence(error), error.path) from None
        except HubError as error:  # parts that do not fit each other: the only change is at fault
            raise _Refused(error.sentence, tuple(changes[0].at) if len(changes) == 1 else ()) from None
        return config


class _Refused(Exception):
    """A change that is refused, and the key at fault."""

    def __init__(self, sentence: str, path: KeyPath) -> None:
        super().__init__(sentence)
        self.sentence, self.path = sentence, path


def _check_fixed(before: Mapping[str, Any], after: Mapping[str, Any], parts: Mapping[str, SettingPart]) -> None:
    """Raise _Refused if a key has changed that is changed in the file only."""
    for name, part in parts.items():
        for field in part.fields:
            if field.kind == "fixed" and _value(before, name, field) != _value(after, name, field):
                raise _Refused(
                    say("Change {key} in the file, by hand.", key=_name((name, field.key))), (name, field.key)
                )


def _value(table: Mapping[str, Any], part: str, field: SettingField) -> object:
    block = table.get(part)
    return block.get(field.key, field.default) if isinstance(block, dict) else field.default


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _name(path: Sequence[str | int]) -> str:
    """Return a path for people: "[table] 1 name" is the name in the first [[table]]."""
    first, *rest = path
    return " ".join([f"[{first}]", *(str(one + 1) if isinstance(one, int) else one for one in rest)])


def _sentence(error: SettingError) -> Text:
    """Return the sentence about a value that is refused, as a text that can be translated."""
    if not isinstance(error, ValueRefused):
        return say("{problem}", problem=str(error))
    return say(
        "{where} {key}{value} will not do; {key} is {allowed}.",
        where=error.where,
        key=error.key,
        value=error.value,
        allowed=form.allowed_here(error.allowed),
    )


def _known_drivers(table: Mapping[str, Any], asked: Sequence[str]) -> list[str]:
    """Return the drivers of the devices that there are, and those that are asked for. Raise HubError."""
    blocks = table.get("device")
    names = {block.get("driver") for block in blocks if isinstance(block, dict)} if isinstance(blocks, list) else set()
    for name in asked:
        if name not in driver_names():
            raise HubError(say("There is no such driver."))
        with suppress(packages.Unusable):  # its part says why
            load_driver(name)  # says which package is missing
    return [name for name in driver_names() if name in names or name in asked]


def _ids(table: Mapping[str, Any]) -> list[str]:
    """Return the ids of the tables in a file."""
    blocks = table.get("table", [{}])
    if not isinstance(blocks, list):
        return []
    return [str(block.get("id", "1")) for block in blocks if isinstance(block, dict)]


def _check_driver(number: int, block: configuration.DevicePart) -> None:
    """Raise SettingError if a driver refuses its settings."""
    try:
        driver = driver_of(block)
    except packages.Unusable:  # of a package: the device does nothing, and other settings can be changed
        return
    except ConfigError as error:
        raise SettingError(error.sentence, ("device", number, "driver")) from None
    try:
        convert(driver.Settings, block.settings, f'[[device]] driver = "{block.driver}"', header="device")
    except SettingError as error:
        error.path = ("device", number, *error.path)
        raise
    except Exception as error:
        if block.driver not in packaged_drivers():
            raise
        raise SettingError(packages.why(error), ("device", number)) from None


def _masked(value: Any, parts: Mapping[str, SettingPart], name: str) -> Any:
    """Return a value of the file for the page: secrets as `true`, times as text."""
    if isinstance(value, list):
        return [_masked(one, parts, name) for one in value]
    if isinstance(value, dict):
        kinds = {**_fields(parts, name), **_fields(parts, f"{name} {value.get('driver')}")}
        return {key: _shown(key, one, kinds.get(key), parts) for key, one in value.items()}
    return str(value) if isinstance(value, dt.date | dt.time) else value


def _shown(key: str, value: Any, field: SettingField | None, parts: Mapping[str, SettingPart]) -> Any:
    if field and field.kind == "tables":
        return _masked(value, parts, field.part)
    if field:
        return form.shown(field.kind, value)
    return _masked(value, parts, key)


def _fields(parts: Mapping[str, SettingPart], name: str) -> dict[str, SettingField]:
    return {one.key: one for one in parts[name].fields} if name in parts else {}


def _field_at(path: KeyPath, parts: Mapping[str, SettingPart], values: Any) -> SettingField | None:
    """Return the field at a path of a file, or None: a block, or no such key."""
    if len(path) == 3 and path[0] == "device" and isinstance(path[1], int):
        blocks = values.get("device", [])
        driver = blocks[path[1]].get("driver") if path[1] < len(blocks) else None
        return _fields(parts, f"device {driver}").get(str(path[2])) or _fields(parts, "device").get(str(path[2]))
    names = [one for one in path if isinstance(one, str)]
    return _fields(parts, names[0]).get(names[1]) if len(names) == 2 else None


def _toml_value(text: str, path: KeyPath, field: SettingField) -> Any:
    """Return the value that staff typed as TOML. Raise _Refused."""
    try:
        read = tomllib.loads(f"value = {text}\n")
    except (tomllib.TOMLDecodeError, RecursionError):
        read = {}
    if read.keys() != {"value"}:
        raise _Refused(
            say("{value} will not do; it is {allowed}, as in the file.", value=text, allowed=field.allowed), path
        )
    return read["value"]


def _password(value: Mapping[str, Any], path: KeyPath) -> bytes:
    """Return a password that staff typed, as a file has it. Raise _Refused."""
    password = value.get("password")
    if not isinstance(password, str) or not password.isprintable() or not 1 <= len(password) <= LONGEST_PASSWORD:
        raise _Refused(say("A password is text on one line."), path)
    return f"{password}\n".encode()


def _write(file: Path, content: bytes, passwords: Mapping[Path, bytes]) -> None:
    """Write passwords and configuration, each file whole or not at all. Raise HubError."""
    try:
        for at, password in passwords.items():
            write_private(at, password)
        replace_file(file.resolve(), content)
    except PermissionError:
        raise HubError(
            say(
                "The hub is not allowed to change {file}. Run `sudo chown -R table-hub: {folder}` on the hub's machine.",
                file=str(file),
                folder=str(file.parent),
            )
        ) from None
    except OSError as error:
        raise HubError(
            say(
                "{file} cannot be written ({error}); nothing was changed. Check the card and its free space.",
                file=str(file),
                error=error.strerror or "",
            )
        ) from None


def _differences(before: Config, after: Config) -> Iterable[str]:
    """Yield the names of the keys and blocks in which two configurations differ."""
    for part in msgspec.structs.fields(Config):
        old, new = getattr(before, part.name), getattr(after, part.name)
        if not isinstance(old, tuple):
            yield from (_name((part.name, key)) for key in _different(old, new))
        elif len(old) != len(new):
            yield _name((part.name,))
        else:
            for number, (one, other) in enumerate(zip(old, new, strict=True)):
                yield from (_name((part.name, number, key)) for key in _different(one, other))


def _different(one: msgspec.Struct, other: msgspec.Struct) -> list[str]:
    return [key for key in one.__struct_fields__ if getattr(one, key) != getattr(other, key)]
