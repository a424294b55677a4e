"""Checks of end_to_end.py: computers of robots delay readings and commands; their topics."""

import pathlib

import peer
from live import Merrow, nanoseconds, take, wait_for

peer.FIELDS.update({
    "merrow_msgs/msg/TaskStatus": "string task; string activity; uint64 released; uint64 completed; uint64 missed_deadlines; "
    "uint64 skipped; uint64 dropped_inputs; float64 mean_response; float64 max_response; float64 load",
    "merrow_msgs/msg/ComputerStatus": "std_msgs/msg/Header header; float64 load; merrow_msgs/msg/TaskStatus[] tasks; string fault",
    "merrow_msgs/msg/TaskInterval": "string task; string activity; builtin_interfaces/msg/Time start; "
    "builtin_interfaces/msg/Time end",
    "merrow_msgs/msg/TaskSchedule": "std_msgs/msg/Header header; merrow_msgs/msg/TaskInterval[] intervals",
})

WORLD = str(pathlib.Path(__file__).parents[1] / "worlds" / "computers.yaml")
MS = 1_000_000


def check_computers():
    """A reading and a command take effect when their jobs are completed; status and schedule report
    the jobs.
    """
    with Merrow(WORLD, "--pace", "lockstep") as m:
        depth, status, schedule = (m.listen(topic) for topic in (
            "/rov/depth/data", "/rov/main/status", "/rov/main/schedule"))
        m.step(20)
        readings = []
        wait_for(lambda: readings.extend(take(depth)) or readings)
        # the reading of 0.1 s is in its job
        assert [nanoseconds(reading.header.stamp) for reading in readings] == [0], readings
        m.write("/rov/thrusters/t/command", data=1700.0)
        m.step(200)
        rows, intervals = [], []
        wait_for(lambda: rows.extend(take(status)) or rows and rows[-1].tasks[1].completed == 1)
        wait_for(lambda: [intervals.extend(part.intervals) for part in take(schedule)] and
                 any(interval.task == "actuation" for interval in intervals))
        drivers, actuation = rows[-1].tasks
        assert (drivers.task, actuation.task) == ("drivers", "actuation")
        assert drivers.completed >= 10 and drivers.missed_deadlines == 0, drivers
        assert (actuation.missed_deadlines, actuation.max_response) == (1, 0.012), actuation
        first = intervals[0]
        assert (first.task, first.activity) == ("drivers", "running"), first
        assert (nanoseconds(first.start), nanoseconds(first.end)) == (0, 12 * MS), first


CHECKS = [check_computers]
