"""Checks of end_to_end.py: attacks of another host, in network namespaces."""

import json
import pathlib
import subprocess
import sys

import live

SCRIPT = pathlib.Path(__file__).parents[2] / "network" / "attacks.py"


def check_attacks_of_a_host():
    """The discovery range holds, and neither forged participants nor slow sockets delay others."""
    try:
        permitted = subprocess.run(["unshare", "-Urn", "ip", "link"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        permitted = False
    if not permitted:
        raise live.Skipped("no permission to create network namespaces")
    done = subprocess.run(["unshare", "-Urn", sys.executable, SCRIPT, live.BINARY], capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not found["localhost_answers_host"], found
    assert found["subnet_answers_host"] and not found["subnet_answers_stranger"], found
    assert found["subnet_reports_stranger"], found
    assert (found["answer_after_flood_s"] or 9) < 1 and (found["page_s"] or 9) < 1, found
    assert found["held_by_absent_receivers_B"] < 100_000, found
    assert (found["discovery_with_absent_receivers_s"] or 9) < 1 and (found["discovery_in_forged_flood_s"] or 9) < 1, found


CHECKS = [check_attacks_of_a_host]
