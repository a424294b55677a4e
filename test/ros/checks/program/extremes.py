"""Checks of end_to_end.py: no value of any field of any service ends the run or leaves it without an answer.
"""

import itertools
import math
import tempfile

import simulation_types  # registers the types
from live import Merrow, describe, message_type

WORLDS = ("modems", "uvms_pool", "usv")
NUMBERS = {
    "float64": (0.0, -1.0, math.nan, math.inf, -math.inf, 1.7e308, 5e-324),
    "float32": (0.0, -1.0, math.nan, math.inf, -math.inf, 3e38, 1e-45),
}
TEXTS = ("", "boat", "/", "../x", "~", "a" * 20_000, "\n\t\x01", "ä漢", "%s%n", "{a: [", "off")
LENGTHS = (0, 1, 3, 100)
ROUNDS = 8


def integers(kind):
    """Returns the extremes of an integer type, such as uint16."""
    bits, is_signed = int(kind.lstrip("uint")), kind.startswith("int")
    top = 2 ** (bits - is_signed)
    return (0, 1, top - 1, top // 2) + ((-top, -1) if is_signed else ())


def extreme(kind, numbers):
    """Returns a value of a field type; `numbers` selects among the extremes."""
    k = next(numbers)
    if kind is bool:
        return bool(k % 2)
    if kind is str:
        return TEXTS[k % len(TEXTS)]
    (detail,) = getattr(kind, "__metadata__", (None,))
    if isinstance(detail, str):
        values = NUMBERS.get(detail) or integers(detail)
        return values[k % len(values)]
    if detail is None:
        return kind(**{name: extreme(field, numbers) for name, field in kind.__annotations__.items()})
    length = getattr(detail, "length", None) or LENGTHS[k % len(LENGTHS)]
    return list(itertools.islice(itertools.repeat(extreme(detail.subtype, numbers)), length))


def check_extreme_requests():
    """Every service answers requests with extreme values in all fields, and the run continues."""
    for world in WORLDS:
        with tempfile.TemporaryDirectory(prefix="merrow-test-") as folder, Merrow(world, "--output-dir", folder) as m:
            unanswered = [number for service in services(world) for number in unanswered_requests(m, *service)]
            assert not unanswered, unanswered
            assert m.end() == 0


def services(world):
    """Returns names and types. The services that change the world are last, because the services of a removed robot end."""
    # a service over modems has no answer if its robot is gone
    found = [(service["service"], service["type"]) for service in describe(world)["services"]
             if not service["service"].startswith("/boat/")]
    return sorted(found, key=lambda service: service[1].startswith("simulation_interfaces"))


def unanswered_requests(m, name, kind):
    """Sends requests; returns the service and the number of each request without an answer."""
    client, unanswered = m.peer.client(name, kind), []
    assert client.wait(10), name
    fields = message_type(f"{kind}_Request").__annotations__
    for number in range(ROUNDS):
        # different extremes in every field and round
        values = {field: extreme(of, itertools.count(number * 7 + i)) for i, (field, of) in enumerate(fields.items())}
        if kind.endswith("/SetSimulationState"):
            values["state"].state = max(values["state"].state, 5)  # 3 would end the run
        if client.receive(client.send(**values), 10) is None:
            unanswered.append((name, number))
        m.alive()
    return unanswered


CHECKS = [check_extreme_requests]
