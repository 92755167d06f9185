"""The output folder, standard output, and what a failed run leaves behind."""
import json
import os
import signal
import stat
import subprocess
import time

import pytest
from conftest import PROGRAM

ARGS = ("-t", "neural-technology", "--performance", "--compatibility")
FIXED = {"SOURCE_DATE_EPOCH": "1767225600", "MLIA_RUN_ID": "0197C0DE-0001-7000-8000-000000000001"}


def check(mlia, model, *args, **options):
    run = mlia("check", model, *ARGS, *args, **options)
    assert run.status == 0, run
    return run


def test_folder(mlia, model):
    run = check(mlia, model, "--json", env=FIXED)
    assert run.err.splitlines()[-1] == "mlia: note: written mlia-output/mlia-output.json"
    folder = mlia.folder / "mlia-output"
    assert (folder / "mlia-output.json").read_bytes() == run.raw
    assert (folder / ".mlia-owner").read_text() == "mlia 1.0.0 0197c0de-0001-7000-8000-000000000001\n"
    assert all(" - mlia.core - " in line for line in (folder / "logs/mlia.log").read_text().splitlines())
    assert {"mlia-output.json", ".mlia-owner", "logs"} <= {p.name for p in folder.iterdir()}
    assert [p.name for p in mlia.folder.iterdir()] == ["mlia-output"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777 & ~mask
    document = run.json()
    assert document["run_id"] == FIXED["MLIA_RUN_ID"].lower() and document["timestamp"] == "2026-01-01T00:00:00.000Z"
    assert document["context"]["cli_arguments"] == ["mlia", "check", str(model), *ARGS, "--json"]


def test_same_input_same_bytes(mlia, model):
    first = check(mlia, model, "--json", "--no-output", env=FIXED)
    second = check(mlia, model, "--json", "--no-output", env=FIXED)
    assert first.raw == second.raw and first.err == ""


def test_output_dir_is_made(mlia, model):
    check(mlia, model, "--output-dir", "a/b")
    assert (mlia.folder / "a/b/mlia-output/mlia-output.json").exists()
    check(mlia, model, "--out-dir=c")
    assert (mlia.folder / "c/mlia-output/mlia-output.json").exists()
    mlia.write("c.toml", '[core]\noutput_dir = "d"\n')
    check(mlia, model, "--config", "c.toml")
    assert (mlia.folder / "d/mlia-output/mlia-output.json").exists()


def test_no_output(mlia, model):
    run = check(mlia, model, "--no-output")
    assert mlia.files() == [] and run.out != ""


def test_own_folder_is_replaced_whole(mlia, model):
    check(mlia, model)
    mlia.write("mlia-output/left-over", "x")
    check(mlia, model)
    assert not (mlia.folder / "mlia-output/left-over").exists()


def test_empty_folder_is_replaced(mlia, model):
    (mlia.folder / "mlia-output").mkdir()
    check(mlia, model)


def test_folder_of_another_producer(mlia, model):
    """A folder with nothing but known names and a document is from a run of MLIA."""
    document = check(mlia, model, "--json", "--no-output").out
    mlia.write("mlia-output/mlia-output.json", document)
    mlia.write("mlia-output/logs/mlia.log", "")
    check(mlia, model)
    mlia.write("other/mlia-output/mlia-output.json", "{}")
    run = mlia("check", model, *ARGS, "--output-dir", "other")
    assert run.status == 1 and "E_OUTPUT_EXISTS" in run.err


@pytest.mark.parametrize("make", [
    lambda f: (f / "mlia-output").mkdir() or (f / "mlia-output/thesis.tex").write_text("x"),
    lambda f: (f / "mlia-output").write_text("a file"),
    lambda f: (f / "real").mkdir() or (f / "mlia-output").symlink_to("real"),
], ids=["foreign", "file", "link"])
def test_foreign_folder_is_kept(mlia, model, make):
    make(mlia.folder)
    before = mlia.files()
    run = mlia("check", model, *ARGS)
    assert run.status == 1 and run.out == "" and mlia.files() == before, run
    lines = run.err.splitlines()
    assert lines[0].startswith("mlia: error[E_OUTPUT_EXISTS]: ./mlia-output: ") and lines[1].startswith("mlia: hint: "), run
    run = mlia("check", model, *ARGS, "--overwrite")
    assert run.status == 0 and (mlia.folder / "mlia-output/mlia-output.json").exists(), run
    assert not (mlia.folder / "mlia-output").is_symlink()
    assert [p for p in mlia.folder.iterdir() if p.name.startswith(".")] == []


def test_foreign_name_is_told(mlia, model):
    mlia.write("mlia-output/zebra", "")
    mlia.write("mlia-output/apple", "")
    assert "it holds 'apple'" in mlia("check", model, *ARGS).err


def test_unwritable_place(mlia, model):
    if os.geteuid() == 0:
        place = "/proc/here"
    else:
        (mlia.folder / "locked").mkdir(mode=0o500)
        place = "locked"
    run = mlia("check", model, *ARGS, "--output-dir", place)
    assert run.status == 1 and "error[E_WRITE]" in run.err, run


def test_format_files(mlia, model):
    run = check(mlia, model, "--no-output", "--format", "json=doc.json", "--format", "json")
    assert (mlia.folder / "doc.json").read_bytes() == run.raw
    run = mlia("check", model, *ARGS, "--no-output", "--format", "json=/absent-folder/doc.json")
    assert run.status == 1 and "E_WRITE" in run.err


def test_format_files_in_the_folder(mlia, model):
    """They are part of the folder that replaces the old one."""
    for folder, extra in (("mlia-output", ()), ("a/mlia-output", ("--output-dir", "a"))):
        for _ in range(2):
            check(mlia, model, "--format", f"csv={folder}/report.csv", "--format", f"text=./{folder}/report.txt", *extra)
            assert (mlia.folder / folder / "report.csv").read_text().startswith("result,kind,")
            assert (mlia.folder / folder / "report.txt").exists()
    run = mlia("check", model, *ARGS, "--no-output", "--output-dir", "a", "--format", "csv=a/mlia-output/x.csv")
    assert run.status == 2 and "error[E_OPTION_CONFLICT]" in run.err


def test_failed_run_publishes_its_document(mlia):
    mlia.write("broken.vgf", b"VGF1" + bytes(60))
    run = mlia("check", "broken.vgf", *ARGS)
    assert run.status == 1 and run.out == "", run
    assert run.err.startswith("mlia: error[E_VGF_") or "error[E_VGF_" in run.err
    document = json.loads((mlia.folder / "mlia-output/mlia-output.json").read_text())
    assert [r["status"] for r in document["results"]] == ["failed", "failed"]
    assert all(r["errors"][0].startswith("E_VGF_") for r in document["results"])
    item = document["extensions"]["mlia_diagnostics"]["items"][-1]
    assert item["severity"] == "error" and item["path"] == "broken.vgf"


def test_run_that_never_began_leaves_everything(mlia, model):
    check(mlia, model)
    before = (mlia.folder / "mlia-output/mlia-output.json").read_bytes()
    mlia.write("unknown.bin", b"neither fish nor fowl")
    assert mlia("check", "unknown.bin", *ARGS).status == 1
    assert (mlia.folder / "mlia-output/mlia-output.json").read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals(mlia, number):
    """A run that waits for standard input is ended by a signal and leaves nothing."""
    process = subprocess.Popen([PROGRAM, "check", "-", *ARGS], cwd=mlia.folder, env=mlia.env, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # nohup and "&" ignore some
    wait_until_reading(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number and out == b"" and err == b""
    assert mlia.files() == []


def wait_until_reading(process):
    """Signal handlers are installed before the model is opened."""
    for _ in range(3000):
        try:
            mask = int(next(line.split()[1] for line in open(f"/proc/{process.pid}/status") if line.startswith("SigCgt")), 16)
        except FileNotFoundError:
            mask = 0
        if mask >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.01)
    pytest.fail("the program installed no handlers")


def test_timeout(mlia):
    for extra, pattern in (((), "mlia: error[E_TIMEOUT]: no answer within 0.2 seconds\n"), (("--error-format=json",), '"code":"E_TIMEOUT"')):
        process = subprocess.Popen([PROGRAM, "check", "-", *ARGS, "--timeout", "0.2", *extra], cwd=mlia.folder, env=mlia.env,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.wait(timeout=60) == 1
        out, err = process.communicate()
        assert out == b"" and pattern in err.decode()
    assert mlia.files() == []


def test_standard_input(mlia, model):
    run = mlia("check", "-", *ARGS, "--json", "--no-output", stdin=model.read_bytes())
    assert run.status == 0 and run.json()["model"]["name"] == "stdin", run


def test_environment_identity(mlia, model):
    for name, value in (("SOURCE_DATE_EPOCH", "soon"), ("SOURCE_DATE_EPOCH", "-1"), ("MLIA_RUN_ID", "1234")):
        run = mlia("check", model, *ARGS, "--no-output", env={name: value})
        assert run.status == 2 and f"error[E_CONFIG]: {name} '{value}'" in run.err, run


def test_too_little_memory(mlia, model):
    """Whatever allocation fails, the answer is a message, never a crash."""
    import resource
    if b"__asan_init" in PROGRAM.read_bytes():
        pytest.skip("address space limits do not go with sanitizers")
    seen = set()
    for limit in range(6 << 20, 12 << 20, 1 << 18):
        run = mlia("check", model, *ARGS, "--no-output", "--json", preexec_fn=lambda size=limit: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        seen.add(run.status)
        assert run.status in (0, 1, 127), run
        assert run.status != 1 or "E_MEMORY" in run.err or run.err == "", run
    assert 0 in seen


def test_names_with_control_characters(mlia, model):
    mlia.write("a\x1b[31m\nb.vgf", model.read_bytes())
    run = mlia("check", "a\x1b[31m\nb.vgf", *ARGS, "--output-dir", "o")
    assert run.status == 0 and "\x1b" not in run.err + run.out, run
    assert run.err.startswith("mlia: warning[W_EXTENSION]: a\\x1b[31m\\x0ab.vgf: ")
    assert "\x1b" not in (mlia.folder / "o/mlia-output/logs/mlia.log").read_text()
    run = mlia("check", "absent\x1b[31m", *ARGS)
    assert run.err == "mlia: error[E_NOT_FOUND]: absent\\x1b[31m: No such file or directory\n"


def test_two_runs_at_a_time(mlia, model):
    """The later rename wins whole; nothing is left behind."""
    runs = [subprocess.Popen([PROGRAM, "check", model, *ARGS], cwd=mlia.folder, env=mlia.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for _ in range(8)]
    errors = [run.communicate()[1].decode() for run in runs]
    assert all(run.returncode == 0 or "E_WRITE" in error for run, error in zip(runs, errors)), errors
    assert any(run.returncode == 0 for run in runs)
    assert mlia("validate", "--strict", "mlia-output/mlia-output.json").status == 0
    assert [p.name for p in mlia.folder.iterdir() if p.name != "home"] == ["mlia-output"]
