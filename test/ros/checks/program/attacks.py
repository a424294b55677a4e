"""Checks of end_to_end.py: attacks of another host, in network namespaces."""

import live
from network import attacks


def check_attacks_of_a_host():
    """The discovery range holds, and neither forged participants nor slow sockets delay others."""
    found = attacks.attack(live.BINARY, "cyclonedds")
    if found is None:
        raise live.Skipped("no permission to create network namespaces")
    assert not found["localhost_answers_host"], found
    assert found["subnet_answers_host"] and not found["subnet_answers_stranger"], found
    assert found["subnet_reports_stranger"], found
    assert found["held_by_absent_receivers_B"] < 100_000, found
    assert not attacks.late(found), found


CHECKS = [check_attacks_of_a_host]
