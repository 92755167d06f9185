"""The parts of docs/ that repeat tables of the program are up to date; examples name things that exist."""
import re
import subprocess
import sys

from conftest import PROGRAM, ROOT


def test_generated_parts():
    done = subprocess.run([sys.executable, ROOT / "scripts/make_docs.py", "--check"], capture_output=True, text=True,
                          env={"MLIA_PROGRAM": str(PROGRAM), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr


def test_example_profile_and_configuration_are_good(mlia):
    config, profile = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/configuration.md").read_text(), re.S)
    mlia.write("my-board.toml", profile)
    mlia.write("my-system.ini", "[system]\nclock_mhz = 1000\n")
    mlia.write("c.toml", config)
    assert mlia("profile", "check", "my-board.toml").status == 0
    run = mlia("profile", "show", "./my-board.toml", "--config", "c.toml")
    assert run.status == 0 and "warning" not in run.err, run
