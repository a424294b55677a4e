"""Location of the program that the package installs."""

import sysconfig
from pathlib import Path

NAME = "merrow" + (sysconfig.get_config_var("EXE") or "")


def program() -> Path:
    """Returns the path of the program `merrow`.

    Raises FileNotFoundError, with the folders that were searched, if it is not installed.
    """
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    folders = [Path(sysconfig.get_path("scripts", scheme)) for scheme in schemes]
    # `pip install --target FOLDER` has no folder of scripts of its own
    folders.append(Path(__file__).resolve().parent.parent / "bin")
    for folder in folders:
        if (folder / NAME).is_file():
            return folder / NAME
    searched = ", ".join(str(folder) for folder in folders)
    raise FileNotFoundError(f"the program {NAME} is not in {searched}; install merrow again")
