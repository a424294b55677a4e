"""Merrow, a marine robotics simulator with a ROS 2 interface.

The package holds the program `merrow` with its bundled worlds: `merrow run pool --view`, or
`python -m merrow run pool --view`.
"""

from merrow._program import program

__all__ = ["program"]
