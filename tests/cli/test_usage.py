"""Commands and usage errors: exit status, standard output, the line on standard error."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import PROGRAM

PROFILE = ("-t", "neural-technology")
CHECK = ("check", "m.tosa", *PROFILE)

GOOD = [
    (("--help",), 0, r"^Usage: mlia "),
    (("-h",), 0, r"^Usage: mlia "),
    (("help",), 0, r"^Usage: mlia "),
    (("help", "check"), 0, r"^Usage: mlia check "),
    (("help", "target", "list"), 0, r"^Usage: mlia target list"),
    (("help", "target"), 0, r"^Usage: mlia target COMMAND"),
    (("--version",), 0, r"^MLIA \d+\.\d+\.\d+\n$"),
    (("-v",), 0, r"^MLIA \d+\.\d+\.\d+\n$"),
    (("-d", "-v"), 0, r"^MLIA \d+\.\d+\.\d+\njansson \S+\nnettle \S+\n$"),
    (("-dv",), 0, r"^MLIA \d+\.\d+\.\d+\njansson \S+\nnettle \S+\n$"),
    ((), 2, r"^Usage: mlia "),
    (("check",), 2, r"^Usage: mlia check "),
    (("target",), 2, r"^Usage: mlia target "),
    (("backend",), 2, r"^Usage: mlia backend "),
    (("profile",), 2, r"^Usage: mlia profile "),
    (("profile", "show"), 2, r"^Usage: mlia profile show "),
    (("validate",), 2, r"^Usage: mlia validate "),
    (("report",), 2, r"^Usage: mlia report "),
    (("convert",), 2, r"^Usage: mlia convert "),
    (("inspect",), 2, r"^Usage: mlia inspect "),
    (("completion",), 2, r"^Usage: mlia completion "),
    (("target", "--help"), 0, r"^Usage: mlia target "),
    (("check", "--help", "--nonsense"), 0, r"^Usage: mlia check "),
    (("target", "list"), 0, r"neural-technology"),
    (("backend", "list"), 0, r"tosa-flatbuffers"),
]


@pytest.mark.parametrize("args,status,pattern", GOOD, ids=[" ".join(g[0]) or "nothing" for g in GOOD])
def test_answers(mlia, args, status, pattern):
    run = mlia(*args)
    assert run.status == status, run
    assert run.err == ""
    assert re.search(pattern, run.out), run


BAD = [
    # unknown command
    (("chekc",), "", "E_COMMAND", r"unknown command 'chekc'; did you mean 'check'\?"),
    (("zzzz",), "", "E_COMMAND", r"unknown command 'zzzz'"),
    (("target", "lst"), "", "E_COMMAND", r"unknown command 'target lst'; did you mean 'target list'\?"),
    (("help", "nothing"), "help", "E_COMMAND", r"unknown command 'nothing'; 'mlia help' lists the commands"),
    # unknown option
    (("check", "m", "--taget-profile", "x"), "check", "E_OPTION_UNKNOWN",
     r"unknown option '--taget-profile'; did you mean '--target-profile'\?"),
    (("check", "m", "--target", "x"), "check", "E_OPTION_UNKNOWN", r"unknown option '--target'; did you mean '--target-profile'\?"),
    (("check", "m", "--no", "x"), "check", "E_OPTION_UNKNOWN", r"unknown option '--no'$"),
    (("check", "m", "-v"), "check", "E_OPTION_UNKNOWN", r"unknown option '-v'"),
    (("check", "m", "-x"), "check", "E_OPTION_UNKNOWN", r"unknown option '-x'"),
    (("--json", "check"), "", "E_OPTION_UNKNOWN", r"unknown option '--json'"),
    (("--verison",), "", "E_OPTION_UNKNOWN", r"unknown option '--verison'; did you mean '--version'\?"),
    (("check", "m", "--nx-performance-estimator.clock", "1"), "check", "E_OPTION_UNKNOWN",
     r"unknown option '--nx-performance-estimator.clock'; nx-performance-estimator has --nx-performance-estimator\.system-config, "),
    (("check", "m", "--nx-performance-estimator.system-confg", "1"), "check", "E_OPTION_UNKNOWN",
     r"did you mean '--nx-performance-estimator.system-config'\?"),
    # value missing, given to a flag, empty, not one of a list, no number
    (("check", "m", "--backend"), "check", "E_OPTION_VALUE", r"option '--backend' needs a value$"),
    (("check", "m", "-b"), "check", "E_OPTION_VALUE", r"option '--backend' needs a value$"),
    (("check", "m", "--backend", "--json"), "check", "E_OPTION_VALUE", r"option '--backend' needs a value$"),
    (("check", "m", "--json=yes"), "check", "E_OPTION_VALUE", r"option '--json' takes no value$"),
    (("check", "m", "--target-profile", ""), "check", "E_OPTION_VALUE", r"option '--target-profile' needs a value that is not empty"),
    (("check", "m", "--target-profile="), "check", "E_OPTION_VALUE", r"option '--target-profile' needs a value that is not empty"),
    (("check", "m", "--format", "xml"), "check", "E_OPTION_VALUE", r"option '--format': 'xml' is none of text, json, csv, csv-wide"),
    (("check", "m", "--format", "json="), "check", "E_OPTION_VALUE", r"option '--format' names no file behind '='"),
    (("check", "m", "--color", "blue"), "check", "E_OPTION_VALUE", r"option '--color': 'blue' is none of auto, always, never"),
    (("--color", "blue", "check"), "", "E_OPTION_VALUE", r"'blue' is none of"),
    (("check", "m", "--top", "many"), "check", "E_OPTION_VALUE", r"option '--top': 'many' is no whole number from 0"),
    (("check", "m", "--top", "-1"), "check", "E_OPTION_VALUE", r"'-1' is no whole number"),
    (("check", "m", "--top", "99999999999999999999"), "check", "E_OPTION_VALUE", r"no whole number"),
    (("check", "m", "--timeout", "0"), "check", "E_OPTION_VALUE", r"option '--timeout': '0' is no number of seconds above 0"),
    (("check", "m", "--timeout", "soon"), "check", "E_OPTION_VALUE", r"'soon' is no number of seconds"),
    (("check", "m", "--schema", "9.0.0"), "check", "E_OPTION_VALUE", r"option '--schema': '9.0.0' is none of 1.2.0"),
    (("check", "m", "--group-by", "row"), "check", "E_OPTION_VALUE", r"'row' is none of chain, cascade, "),
    ((*CHECK, "--input-shape", "axb"), "check", "E_OPTION_VALUE", r"axb"),
    (("completion", "tcsh"), "completion", "E_OPTION_VALUE", r"'tcsh' is none of bash, zsh, fish"),
    # required option, argument
    (("check", "m"), "check", "E_OPTION_MISSING", r"check needs '--target-profile'; 'mlia target list' names the profiles"),
    (("check", *PROFILE), "check", "E_ARGUMENT_MISSING", r"check needs a MODEL, or '--profiling-data'"),
    (("convert", "m"), "convert", "E_OPTION_MISSING", r"convert needs '--output FILE'"),
    (("convert", "m", "-o", "x.unknown"), "convert", "E_OPTION_MISSING", r"the name 'x.unknown' tells no format; convert needs '--to'"),
    (("validate", "--strict"), "validate", "E_ARGUMENT_MISSING", r"validate needs at least one DOCUMENT"),
    # too many arguments
    ((*CHECK, "b.tflite"), "check", "E_ARGUMENT_EXTRA", r"unexpected argument 'b.tflite'; one model per run"),
    (("target", "list", "x"), "target list", "E_ARGUMENT_EXTRA", r"unexpected argument 'x'"),
    # contradictions
    ((*CHECK, "--quiet", "--debug"), "check", "E_OPTION_CONFLICT", r"'--quiet' and '--debug' exclude each other"),
    ((*CHECK, "--json", "--format", "csv"), "check", "E_OPTION_CONFLICT",
     r"'--json' and '--format csv' both want standard output; give one a file: --format csv=FILE"),
    ((*CHECK, "--format", "json", "--format", "csv"), "check", "E_OPTION_CONFLICT", r"'--format json' and '--format csv' both want"),
    ((*CHECK, "--compatibility", "--profiling-data", "x"), "check", "E_OPTION_CONFLICT",
     r"'--compatibility' and '--profiling-data' exclude each other: measured data holds performance only"),
    ((*CHECK, "--performance", "--profiling-data", "x", "-b", "nx-performance-estimator"), "check", "E_OPTION_CONFLICT",
     r"'--backend nx-performance-estimator' and '--profiling-data' exclude each other"),
    ((*CHECK, "--performance", "--profiling-data", "x", "--set", "a.b=1"), "check", "E_OPTION_UNUSED",
     r"'--set' has no effect: the run uses neural-technology-profiling-data"),
    ((*CHECK, "--performance", "--profiling-data", "x", "--nx-performance-estimator.system-config", "default"), "check", "E_OPTION_UNUSED",
     r"'--nx-performance-estimator.system-config' has no effect: the run uses neural-technology-profiling-data"),
    ((*CHECK, "-b", "neural-technology-profiling-data"), "check", "E_OPTION_MISSING", r"needs '--profiling-data'"),
    ((*CHECK, "--no-output", "--overwrite"), "check", "E_OPTION_CONFLICT", r"'--no-output' and '--overwrite' exclude each other"),
    ((*CHECK, "--no-output", "--format", "csv=mlia-output/report.csv"), "check", "E_OPTION_CONFLICT", r"that folder is not written"),
]


@pytest.mark.parametrize("args,command,kind,pattern", BAD, ids=[" ".join(b[0]) for b in BAD])
def test_usage_errors(mlia, args, command, kind, pattern):
    run = mlia(*args)
    lines = run.err.splitlines()
    assert run.status == 2, run
    assert run.out == ""
    assert len(lines) == 2, run
    assert lines[0].startswith(f"mlia: error[{kind}]: "), run
    assert re.search(pattern, lines[0]), run
    assert lines[1] == f"Try 'mlia {command} --help'.".replace("  ", " ")
    assert mlia.files() == []


@pytest.mark.parametrize("args,command,kind,pattern", BAD, ids=[" ".join(b[0]) for b in BAD])
def test_usage_errors_as_json(mlia, args, command, kind, pattern):
    run = mlia("--error-format=json", *args)
    assert run.status == 2 and run.out == "", run
    error, = run.errors()
    assert error["code"] == kind and error["severity"] == "error" and error["stage"] == "options"
    assert re.search(pattern, error["message"]) and error["hint"].startswith("Try 'mlia")


def test_repeated_option_warns(mlia):
    run = mlia("check", "absent.tosa", "-t", "first", "-t", "second")
    lines = run.err.splitlines()
    assert lines[0] == "mlia: warning[W_OPTION_REPEATED]: option '--target-profile' is given twice: 'first' is dropped"
    assert "'second'" in lines[1]


def test_everything_behind_two_dashes_is_an_argument(mlia):
    run = mlia("inspect", "--", "--json")
    assert run.status == 1 and "error[E_NOT_FOUND]: --json: " in run.err


def test_joined_letters(mlia):
    run = mlia("check", "-qtabsent", "m.tosa")
    assert "no target profile 'absent'" in run.err and run.status == 2


@pytest.mark.parametrize("name", ["target", "backend"])
def test_old_program_names(mlia, name):
    link = mlia.folder / f"mlia-{name}"
    from conftest import PROGRAM
    link.symlink_to(PROGRAM)
    run = mlia("list", "--json", program=link)
    assert run.status == 0 and run.out == mlia(name, "list", "--json").out
    assert run.err == f"mlia: warning[W_DEPRECATED]: the name 'mlia-{name}' is deprecated; use 'mlia {name}'\n"


def test_every_option_is_in_its_help(mlia):
    for command in ("check", "report", "inspect", "convert", "validate", "target list", "backend list", "profile show"):
        text = mlia(*command.split(), "--help", env={"COLUMNS": "200"}).out
        offered = {line.split("\t")[0] for line in mlia("__complete", len(command.split()) + 1, "mlia", *command.split(), "--").out.splitlines()}
        assert offered and all(option in text for option in offered), (command, offered)


def test_help_fits_the_width(mlia):
    for width in (60, 80, 120):
        for line in mlia("check", "--help", env={"COLUMNS": str(width)}).out.splitlines():
            assert len(line) <= width or len(line.split()) == 1 or "--nx-performance-estimator." in line


COMPLETIONS = [
    (("1", "mlia", "che"), ["check"]),
    (("1", "mlia", ""), ["check", "inspect", "convert", "report", "validate", "target", "backend", "profile", "completion", "help"]),
    (("2", "mlia", "target", ""), ["list"]),
    (("2", "mlia", "check", "--target"), ["--target-profile"]),
    (("3", "mlia", "check", "-t", "neural"), ["neural-technology", ":files .toml"]),
    (("5", "mlia", "check", "--target-profile", "=", "neural", ""), [":files .tflite"]),
    (("4", "mlia", "check", "--target-profile", "=", "neural"), ["neural-technology", ":files .toml"]),
    (("3", "mlia", "check", "--format", "csv"), ["csv", "csv-wide"]),
    (("2", "mlia", "check", ""), [":files .tflite"]),
    (("3", "mlia", "check", "--output-dir", ""), [":folders"]),
    (("3", "mlia", "profile", "show", "NX-p"), ["NX-peak-12SC-8NX-600MHz", ":files .toml"]),
    (("2", "mlia", "help", "com"), ["completion"]),
]


@pytest.mark.parametrize("words,expected", COMPLETIONS, ids=[" ".join(c[0]) for c in COMPLETIONS])
def test_completion(mlia, words, expected):
    run = mlia("__complete", *words)
    got = [line.split("\t")[0] for line in run.out.splitlines()]
    assert run.status == 0
    assert [g if not g.startswith(":files .tfl") else ":files .tflite" for g in got] == expected


@pytest.mark.parametrize("shell,checker", [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])])
def test_completion_scripts_parse(mlia, shell, checker):
    import shutil
    import subprocess
    run = mlia("completion", shell)
    assert run.status == 0 and "__complete" in run.out
    if shutil.which(checker[0]):
        path = mlia.write("script", run.out)
        assert subprocess.run([*checker, path]).returncode == 0


def test_bash_completion_works(mlia):
    import subprocess
    from conftest import PROGRAM
    script = mlia.write("script", mlia("completion", "bash").out)
    command = f"source {script}; COMP_WORDS=({PROGRAM} che); COMP_CWORD=1; _mlia; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    assert subprocess.run(["bash", "-c", command], capture_output=True, text=True).stdout == "check\n"


def test_lists_as_json(mlia):
    profiles = mlia("target", "list", "--json").json()
    assert [p["profile"] for p in profiles] == sorted(p["profile"] for p in profiles)
    assert list(profiles[0]) == ["target", "profile", "description", "source", "default_backends", "backends"]
    backends = mlia("backend", "list", "--json").json()
    assert [b["name"] for b in backends] == sorted(b["name"] for b in backends)
    assert list(backends[0]) == ["name", "installed", "installable", "selectable", "categories", "accepts", "options"]


def test_stdout_closed_early_and_full(mlia):
    read, write = os.pipe()
    os.close(read)
    run = mlia("target", "list", stdout=write)
    os.close(write)
    assert run.status == 141 and run.err == ""
    with open("/dev/full", "wb") as full:
        run = mlia("target", "list", stdout=full)
    assert run.status == 1 and run.err.startswith("mlia: error[E_WRITE]: cannot write to standard output: ")


def test_closed_stdout_is_never_a_file(mlia):
    import subprocess
    from conftest import PROGRAM
    done = subprocess.run(["sh", "-c", f"'{PROGRAM}' target list >&-"], capture_output=True, cwd=mlia.folder, env=mlia.env)
    assert done.returncode == 1 and b"E_WRITE" in done.stderr


def test_devices_are_written_to_and_not_replaced(mlia):
    """Even by root, whose folder /dev is."""
    import stat
    expected = mlia("target", "list").raw
    assert mlia("target", "list", "-o", "/dev/stdout").raw == expected
    assert mlia("target", "list", "-o", "/dev/null").status == 0 and stat.S_ISCHR(os.stat("/dev/null").st_mode)
    run = mlia("target", "list", "-o", "/dev/full")
    assert run.status == 1 and run.out == "" and "error[E_WRITE]: /dev/full: cannot write: " in run.err and stat.S_ISCHR(os.stat("/dev/full").st_mode)
    assert mlia("target", "list", "-o", ".").status == 1


def test_output_option_never_replaces_a_link(mlia):
    expected = mlia("target", "list").out
    link = mlia.folder / "link"
    link.symlink_to("kept.txt")
    (mlia.folder / "kept.txt").write_text("old")
    assert mlia("target", "list", "-o", "link").status == 0
    assert link.is_symlink() and (mlia.folder / "kept.txt").read_text() == expected
    assert sorted(path.name for path in mlia.folder.iterdir() if path.name != "home") == ["kept.txt", "link"]


def test_output_file_with_the_longest_name(mlia):
    name = "n" * 255
    assert mlia("target", "list", "-o", name).status == 0
    assert (mlia.folder / name).read_text() == mlia("target", "list").out


def test_file_names_cannot_send_orders_to_the_terminal(mlia, model):
    source = Path(model).read_bytes()
    for name in (b"a\nb\x1b[31m.tosa", b"c\x9b\xc2\x9b31m.tosa"):
        (mlia.folder / os.fsdecode(name)).write_bytes(source)
        run = mlia("check", os.fsdecode(name), "-t", "neural-technology", "--no-output", "--debug")
        assert run.status == 0, run.err
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]|\ufffd", run.err) and run.err.startswith("mlia: ")
        assert all(line.startswith("mlia: ") for line in run.err.splitlines())


def test_shortened_file(mlia):
    """Reading behind the new end of a mapped file that another program has shortened raises SIGBUS."""
    process = subprocess.Popen([PROGRAM, "inspect", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=mlia.env)
    process.stdin.write(b"x")
    process.stdin.flush()
    while "SigCgt" not in (status := Path(f"/proc/{process.pid}/status").read_text()) or not (
            int(status.split("SigCgt:")[1].split()[0], 16) >> (signal.SIGBUS - 1) & 1):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGBUS)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == b"mlia: error[E_READ]: a file became shorter while it was read\n"
