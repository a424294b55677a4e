#!/usr/bin/env python3
"""Writes the output of `merrow describe --json` for a world as lines of tab-separated words, for
the C++ programs here.

    merrow describe WORLD --json | facts.py > WORLD.facts
"""

import json
import sys

about = json.load(sys.stdin)


def line(*words):
    print(*words, sep="\t")


line("step_ns", round(about["step_s"] * 1e9))
for topic in about["published"]:
    kept = "latched" if "transient_local" in topic["qos"] else "volatile"
    line("published", topic["topic"], topic["type"], topic["rate_hz"] or 0, kept)
for topic in about["subscribed"]:
    line("subscribed", topic["topic"], topic["type"])
for service in about["services"]:
    line("service", service["service"], service["type"])
for parameter in about["parameters"]:
    if parameter["name"].startswith("simulation_interfaces_"):  # read-only
        continue
    low, high = (parameter["range"] or "0 to 0").split(" to ")
    line("parameter", parameter["name"], parameter["type"], parameter["default"].strip("'"), low, high)
