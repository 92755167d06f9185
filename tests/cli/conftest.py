"""What the command line tests share: running the program in an empty folder with a clean environment."""
import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MLIA_PROGRAM", ROOT / "build/mlia")).resolve()
DATA = ROOT / "tests/data"
FIXTURES = os.environ.get("MLIA_FIXTURES")


class Run:
    """Outcome of one run."""

    def __init__(self, done):
        self.status = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)

    def errors(self):
        """Objects of --error-format json."""
        return [json.loads(line) for line in self.err.splitlines()]

    def __repr__(self):
        return f"status {self.status}\nstdout: {self.out[:2000]}\nstderr: {self.err[:2000]}"


class Mlia:
    def __init__(self, folder):
        self.folder = folder
        self.env = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

    def __call__(self, *args, env=None, stdin=b"", program=PROGRAM, cwd=None, timeout=120, **options):
        words = [str(a) for a in args]
        done = subprocess.run([str(program), *words], cwd=cwd or self.folder, env={**self.env, **(env or {})}, input=stdin,
                              stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, timeout=timeout, **options)
        if done.stdout is None:
            done.stdout = b""
        assert b"AddressSanitizer" not in done.stderr and b"runtime error" not in done.stderr, done.stderr
        return Run(done)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def files(self):
        """All files under the folder, but for the home."""
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file() or p.is_symlink())


@pytest.fixture
def mlia(tmp_path):
    return Mlia(tmp_path)


@pytest.fixture(scope="session")
def fixtures():
    """Folder of the larger inputs."""
    if not FIXTURES:
        pytest.skip("MLIA_FIXTURES is not set")
    return Path(FIXTURES)


@pytest.fixture(scope="session")
def model():
    """A small convolution that ships with the tests."""
    return DATA / "tosa/valid/tiny_int8_net.tosa"
