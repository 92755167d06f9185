"""What configuration, options and environment change in the answer."""
import json
import re
import shlex

import pytest
from conftest import ROOT

MODEL = ROOT / "examples/keyword_spotter.vgf"
ARGS = ("check", MODEL, "-t", "neural-technology", "--performance", "--no-output")


def text(mlia, *args, **options):
    run = mlia(*ARGS, *args, **options)
    assert run.status == 0, run
    return run.out


def chain_rows(out):
    return len(re.findall(r"^  \d+/\d+ ", out, re.M))


def test_top(mlia):
    every = chain_rows(text(mlia))
    assert every > 5
    assert chain_rows(text(mlia, "--top", "3")) == 3
    mlia.write("c.toml", "[core]\ntop = 4\n")
    assert chain_rows(text(mlia, "--config", "c.toml")) == 4
    assert chain_rows(text(mlia, "--config", "c.toml", "--top", "0")) == every


def test_hidden_advice(mlia):
    assert "nx.top-chains" in text(mlia)
    mlia.write("c.toml", '[core]\nhide_advice = ["nx.top-chains"]\n')
    assert "nx.top-chains" not in text(mlia, "--config", "c.toml")
    assert "nx.top-chains" in text(mlia, "--config", "c.toml", "--json")


def test_advice_share(mlia):
    def chains(share):
        mlia.write("c.toml", f"[core]\nadvice_share = {share}\n")
        advice = json.loads(text(mlia, "--config", "c.toml", "--json"))["results"][0]["advice"]
        return sum(bool(re.match(r"nx\.(memory|compute|latency)-bound", a["id"])) for a in advice)
    assert chains(100) == 0 < chains(12) < chains(0)


def test_collapse_rules(mlia):
    """Rules of the user replace the built-in ones; without a match nothing disappears."""
    mlia.write("c.toml", '[[filtering.collapse]]\nkind = "code_stack"\nattribute = "file"\nglobs = ["*"]\n')
    before = json.loads(text(mlia, "--json"))["results"][0]["entities"]
    after = json.loads(text(mlia, "--json", "--config", "c.toml"))["results"][0]["entities"]
    assert any(e["kind"] == "code_stack" for e in before) and not any(e["kind"] == "code_stack" for e in after)


ESCAPE = "\x1b["
COLOURS = [
    ((), {}, False),
    (("--color", "always"), {}, True),
    (("--color", "always"), {"NO_COLOR": "1"}, True),
    ((), {"CLICOLOR_FORCE": "1"}, True),
    ((), {"CLICOLOR_FORCE": "0"}, False),
    ((), {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
    ((), {"CLICOLOR_FORCE": "1", "MLIA_NO_COLOR": "1"}, False),
    ((), {"CLICOLOR_FORCE": "1", "TERM": "dumb"}, False),
    (("--color", "never"), {"CLICOLOR_FORCE": "1"}, False),
    (("--config", "plain.toml"), {"CLICOLOR_FORCE": "1"}, False),
    (("--config", "plain.toml", "--color", "always"), {}, True),
]


@pytest.mark.parametrize("args,env,expected", COLOURS, ids=[f"{' '.join(a)} {e}" for a, e, _ in COLOURS])
def test_colour(mlia, args, env, expected):
    mlia.write("plain.toml", "color = false\n")
    out = text(mlia, *args, env=env)
    assert (ESCAPE in out) == expected
    assert re.sub(r"\x1b\[[0-9;]*m", "", out) == text(mlia)


def test_themes(mlia):
    dark, light = (text(mlia, "--color", "always", env=e) for e in ({"MLIA_DARK": "1"}, {"MLIA_LIGHT": "1"}))
    assert dark != light
    mlia.write("light.toml", 'theme = "light"\n')
    assert text(mlia, "--color", "always", "--config", "light.toml") == light
    assert text(mlia, "--color", "always", "--config", "light.toml", env={"MLIA_DARK": "1"}) == dark
    run = mlia(*ARGS, env={"MLIA_DARK": "1", "MLIA_LIGHT": "1"})
    assert run.status == 2 and "error[E_CONFIG]" in run.err and run.out == ""


def test_files_have_no_colour(mlia):
    text(mlia, "--color", "always", "--format", "text=report.txt")
    assert ESCAPE not in (mlia.folder / "report.txt").read_text()


@pytest.mark.parametrize("columns,limit", [("80", 80), ("60", 60), ("10", 60), ("1000", 240), ("x", 120)])
def test_width(mlia, columns, limit):
    assert max(map(len, text(mlia, env={"COLUMNS": columns}).splitlines())) <= limit


def test_locale_without_utf8(mlia):
    out = mlia(*ARGS, env={"LC_ALL": "C", "COLUMNS": "60"})
    assert out.status == 0 and all(byte < 0x80 for byte in out.raw)


def test_decimal_point_in_every_locale(mlia):
    assert mlia(*ARGS, "--json", env={"LC_ALL": "de_DE.UTF-8", "SOURCE_DATE_EPOCH": "0", "MLIA_RUN_ID": "0" * 8 + "-0000-7000-8000-" + "0" * 12}).raw == \
        mlia(*ARGS, "--json", env={"SOURCE_DATE_EPOCH": "0", "MLIA_RUN_ID": "0" * 8 + "-0000-7000-8000-" + "0" * 12}).raw


def test_progress_and_debug(mlia):
    assert mlia(*ARGS).err == ""
    assert "mlia: progress: performance by nx-performance-estimator" in mlia(*ARGS, "--progress", "always").err
    for args, env in ((("-d",), {}), ((), {"MLIA_DEBUG": "1"}), ((), {"DEBUG": "1"})):
        assert "mlia: debug: performance by nx-performance-estimator" in mlia(*ARGS, *args, env=env).err
    assert mlia(*ARGS, "-q", "--progress", "always", env={"DEBUG": "1"}).err == ""


@pytest.mark.parametrize("name", ["plain.vgf", "my model.vgf", "it's $HOME; `id`.vgf", "-t.vgf"])
def test_next_command_can_be_typed_as_it_is(mlia, name):
    mlia.write(name, MODEL.read_bytes())
    run = mlia("check", "-t", "neural-technology", "--no-output", "--json", "--", name)
    advice, = [a for a in run.json()["results"][0]["advice"] if a["id"] == "nx.compatible"]
    command = shlex.split(advice["message"].split("Next: mlia ")[1])
    assert command[1].removeprefix("./") == name and mlia(*command, "--no-output").status == 0


def test_next_command_names_the_profile_as_typed(mlia):
    mlia.write("my.toml", 'profile_name = "my"\ntarget_type = "neural-technology"\n')
    run = mlia("check", MODEL, "-t", "./my.toml", "--no-output", "--json")
    advice, = [a for a in run.json()["results"][0]["advice"] if a["id"] == "nx.compatible"]
    assert "--target-profile ./my.toml --performance" in advice["message"]
    command = advice["message"].split("Next: mlia ")[1].split()
    assert mlia(*command, "--no-output").status == 0


def test_warnings_as_json(mlia):
    mlia.write("odd.tosa", MODEL.read_bytes())
    run = mlia("check", "odd.tosa", "-t", "neural-technology", "--no-output", "--error-format", "json")
    warning = run.errors()[0]
    assert warning == {"code": "W_EXTENSION", "severity": "warning", "stage": "input", "path": "odd.tosa",
                       "message": "named like TOSA FlatBuffer, but the content is VGF"}
