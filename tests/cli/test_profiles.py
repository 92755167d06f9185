"""Target profiles: files, rules, lookup; user configuration; precedence with origins."""
import re

import pytest

GOOD = '''profile_name = "{name}"
target_type = "neural-technology"
[[components]]
type = "npu"
family = "mali"
'''
OPTIONS = '[config.backend.nx-performance-estimator]\n'


@pytest.mark.parametrize("name", ["neural-technology", "NX-peak-12SC-8NX-600MHz", "NX-sustained-12SC-8NX-350MHz"])
def test_built_in_profiles(mlia, name):
    run = mlia("profile", "show", name, "--json")
    assert run.status == 0 and run.err == "", run
    shown = run.json()
    assert list(shown) == ["profile", "target_type", "backend"] and shown["profile"] == name
    estimator = shown["backend"]["nx-performance-estimator"]
    assert list(estimator) == sorted(estimator)
    assert estimator["system_config"]["origin"].startswith(f"profile {name}:")
    assert estimator["skip_trivial_ops"] == {"value": False, "origin": "built-in"}
    assert all(set(v) == {"value", "origin"} for v in estimator.values())
    assert name in mlia("profile", "show", name).out


PROFILE_FAULTS = [
    ("", r"the key 'profile_name' is missing"),
    ('profile_name = "x"', r"the key 'target_type' is missing"),
    ('profile_name = "x y"\n', r":1:1: profile_name 'x y' has other characters"),
    ('profile_name = 3\n', r":1:1: 'profile_name' is an integer; a string is expected"),
    ('profile_name = ""\n', r":1:1: 'profile_name' must be one line of text"),
    ('profile_name = "x"\ntarget_type = "elsewhere"\n', r":2:1: there is no target 'elsewhere'"),
    ('profile_nam = "x"\n', r":1:1: unknown key 'profile_nam'; did you mean 'profile_name'\?"),
    (GOOD + '[config]\nclock = 1\n', r":7:1: unknown key 'config.clock'"),
    (GOOD + OPTIONS + 'sistem_config = "default"\n', r":7:1: 'nx-performance-estimator' has no option 'sistem_config'; did you mean 'system_config'\?"),
    (GOOD + OPTIONS + 'system_config = 1\n', r":7:1: 'system_config' is an integer; a string is expected"),
    (GOOD + OPTIONS + 'system_config = ""\n', r":7:1: 'system_config' is empty"),
    (GOOD + OPTIONS + 'skip_trivial_ops = "yes"\n', r":7:1: 'skip_trivial_ops' is a string; a boolean is expected"),
    (GOOD + '[config.backend.acme]\nx = 1\n', r":6:17: there is no backend 'acme'"),
    (GOOD + '[config.backend.nx-performance-estimator]\n[backend.nx-performance-estimator]\n', r"is configured twice"),
    ('profile_name = "x"\ntarget_type = "neural-technology"\ncomponents = []\n', r":3:1: 'components' is an array; a non-empty array"),
    ('profile_name = "x"\ntarget_type = "neural-technology"\n[[components]]\ntype = "npu"\n', r":3:\d+: a component needs 'type' and 'family'"),
    ('profile_name = "x"\ntarget_type = "neural-technology"\n[[components]]\ntype = "tpu"\nfamily = "x"\n', r":4:1: component type 'tpu' is none of cpu, npu, "),
    ('profile_name = "x"\ntarget_type = "neural-technology"\n[[components]]\ntype = "npu"\nfamily = "x"\ncolor = "x"\n', r":6:1: unknown key 'color' of a component"),
    ('profile_name = "x"\nprofile_name = "x"\n', r":2:1: key 'profile_name': is defined twice"),
    ('profile_name = \n', r":1:16: a value is missing"),
    ('profile_name = "\udcff"\n'.encode("utf-8", "surrogateescape"), r":1:17: the text is not UTF-8"),
]


@pytest.mark.parametrize("text,pattern", PROFILE_FAULTS, ids=[p for _, p in PROFILE_FAULTS])
def test_profile_faults(mlia, text, pattern):
    path = mlia.write("x.toml", text if isinstance(text, bytes) else text.replace("{name}", "x"))
    for args in (("profile", "check", "x.toml"), ("check", "absent.tosa", "-t", "./x.toml")):
        run = mlia(*args)
        assert run.status == 2 and run.out == "", run
        assert re.match(r"mlia: error\[E_PROFILE\]: (\./)?x\.toml:", run.err) and re.search(pattern, run.err), run
        assert len(run.err.splitlines()) == 1
    assert path.exists() and mlia.files() == ["x.toml"]


def test_old_spellings(mlia):
    mlia.write("old.toml", 'profile_name = "old"\ntarget = "neural-technology"\n[backend.nx-performance-estimator]\nsystem_config = "peak-12SC-8NX-600MHz"\n')
    shown = mlia("profile", "show", "./old.toml", "--json").json()
    assert shown["backend"]["nx-performance-estimator"]["system_config"] == {"value": "peak-12SC-8NX-600MHz", "origin": "profile ./old.toml:4"}
    mlia.write("both.toml", 'profile_name = "old"\ntarget = "neural-technology"\ntarget_type = "neural-technology"\n')
    assert mlia("profile", "check", "both.toml").status == 0


@pytest.mark.parametrize("alias", ["system-config-neural-technology-default", "DEFAULT", "default.ini"])
def test_aliases_of_configurations(mlia, alias):
    run = mlia("profile", "show", "neural-technology", "--nx-performance-estimator.system-config", alias, "--json")
    assert run.status == 0, run
    default = mlia("profile", "show", "neural-technology", "--json").json()["backend"]["nx-performance-estimator"]
    values = run.json()["backend"]["nx-performance-estimator"]
    assert values["system.clock_mhz"]["value"] == default["system.clock_mhz"]["value"]


def test_lookup_order(mlia):
    folder, home = mlia.folder / "profiles", mlia.folder / "home/.local/share/mlia/profiles"
    mlia.write("profiles/mine.toml", GOOD.format(name="mine") + 'description = "x"\n'.replace("description", "name"))
    mlia.write("home/.local/share/mlia/profiles/mine.toml", GOOD.format(name="mine"))
    mlia.write("home/.local/share/mlia/profiles/other.toml", GOOD.format(name="other"))
    mlia.write("loose", GOOD.format(name="anything"))
    env = {"MLIA_PROFILE_PATH": f":{folder}:{mlia.folder / 'absent'}"}
    assert f"Source       {folder}/mine.toml" in mlia("profile", "show", "mine", env=env).out
    assert f"Source       {home}/mine.toml" in mlia("profile", "show", "mine").out
    assert f"Source       {home}/other.toml" in mlia("profile", "show", "other", env=env).out
    assert "Source       loose" in mlia("profile", "show", "loose").out
    names = [p["profile"] for p in mlia("target", "list", "--json", env=env).json()]
    assert names == sorted(["mine", "other", "neural-technology", "NX-peak-12SC-8NX-600MHz", "NX-sustained-12SC-8NX-350MHz"])
    run = mlia("profile", "show", "mine", "-d", env=env)
    assert run.err == f"mlia: debug: {home}/mine.toml is shadowed by {folder}/mine.toml\n"
    # built-in names win
    mlia.write("profiles/neural-technology.toml", "broken")
    assert "Source       built-in" in mlia("profile", "show", "neural-technology", env=env).out


def test_file_name_must_agree(mlia):
    mlia.write("profiles/wrong.toml", GOOD.format(name="right"))
    run = mlia("profile", "show", "wrong", env={"MLIA_PROFILE_PATH": str(mlia.folder / "profiles")})
    assert run.status == 2 and "E_PROFILE" in run.err and "profile_name 'right' must be 'wrong'" in run.err
    run = mlia("target", "list", env={"MLIA_PROFILE_PATH": str(mlia.folder / "profiles")})
    assert run.status == 0 and "warning[W_PROFILE]" in run.err and "right" not in run.out


@pytest.mark.parametrize("name,hint", [("neural-tecnology", "did you mean 'neural-technology'?"), ("NX-peak", "did you mean 'NX-peak-12SC-8NX-600MHz'?"),
                                       ("Neural-Technologie", "'mlia target list' names those there are")])
def test_unknown_profile(mlia, name, hint):
    run = mlia("check", "m.tosa", "-t", name)
    assert run.status == 2 and run.out == ""
    assert run.err == f"mlia: error[E_PROFILE_UNKNOWN]: there is no target profile '{name}'; {hint}\n"


@pytest.mark.parametrize("path,text", [("absent.toml", "No such file"), (".", "a folder"), ("./", "a folder"), ("/dev/zero", "not a regular file")])
def test_profile_path_faults(mlia, path, text):
    run = mlia("check", "m.tosa", "-t", path)
    assert run.status == 2 and "error[E_PROFILE]: " in run.err and text in run.err and run.out == "", run


def test_large_profile_is_refused(mlia):
    mlia.write("big.toml", "# " + "x" * (1 << 20))
    run = mlia("profile", "check", "big.toml")
    assert "error[E_PROFILE]: " in run.err and "1048576" in run.err and run.status == 2


CONFIG_FAULTS = [
    ("color = 1\n", r":1:1: 'color' is an integer; a boolean is expected"),
    ('theme = "blue"\n', r":1:1: 'theme' is none of dark, light"),
    ("[core]\ntop = -1\n", r":2:1: 'top' is negative"),
    ('[core]\ntop = "x"\n', r":2:1: 'top' is a string; an integer is expected"),
    ('[core]\noutput_dir = ""\n', r":2:1: 'output_dir' is empty"),
    ('[core]\nhide_advice = ["a", ""]\n', r":2:1: 'hide_advice' must hold non-empty strings"),
    ("[core]\nadvice_share = 101\n", r":2:1: 'advice_share' is no percentage"),
    ('[[filtering.collapse]]\nkind = "code_stack"\n', r":1:\d+: filtering.collapse needs kind, attribute and globs"),
    ('[[filtering.collapse]]\nkind = "k"\nattribute = "file"\nglobs = []\n', r"needs kind, attribute and globs"),
    ('[[filtering.collapse]]\nkinds = "k"\n', r":2:1: 'kinds' is no key of filtering.collapse"),
    ("[filtering]\nother = 1\n", r":2:1: 'other' is no known key here"),
    ("[backend_options.acme]\nx = 1\n", r":1:18: there is no backend 'acme'"),
    ("[backend_options.nx-performance-estimator]\nclock = 1\n", r":2:1: 'nx-performance-estimator' has no option 'clock'"),
    ("[backend_options.nx-performance-estimator]\nskip_trivial_ops = 1\n", r":2:1: 'skip_trivial_ops' is an integer; a boolean is expected"),
    ("[core]\n[core]\n", r":2:2: key 'core': is defined twice"),
    ("core\n", r":1:5: '=' is missing behind the key"),
]


@pytest.mark.parametrize("text,pattern", CONFIG_FAULTS, ids=[p for _, p in CONFIG_FAULTS])
def test_config_faults(mlia, text, pattern):
    mlia.write("c.toml", text)
    run = mlia("profile", "show", "neural-technology", "--config", "c.toml")
    assert run.status == 2 and run.out == "", run
    assert run.err.startswith("mlia: error[E_CONFIG]: c.toml:") and re.search(pattern, run.err), run


def test_config_places(mlia):
    where = {"option": mlia.write("o.toml", "[core]\noption = 1\n"), "MLIA_CONFIG": mlia.write("e.toml", "[core]\nvariable = 1\n"),
             "XDG": mlia.write("xdg/mlia/config.toml", "[core]\nxdg = 1\n"), "HOME": mlia.write("home/.config/mlia/config.toml", "[core]\nhome = 1\n")}
    show = ("profile", "show", "neural-technology")
    xdg = {"XDG_CONFIG_HOME": str(mlia.folder / "xdg")}
    every = {**xdg, "MLIA_CONFIG": str(where["MLIA_CONFIG"])}
    assert "unknown key 'core.option' is ignored" in mlia(*show, "--config", "o.toml", env=every).err
    assert "unknown key 'core.variable' is ignored" in mlia(*show, env=every).err
    assert "unknown key 'core.xdg' is ignored" in mlia(*show, env=xdg).err
    assert "unknown key 'core.home' is ignored" in mlia(*show).err
    assert mlia(*show, "--config", "", env=every).err == ""
    assert mlia(*show, env={"HOME": str(mlia.folder / "nobody")}).err == ""


def test_named_config_must_exist(mlia):
    for args, env in ((("--config", "absent.toml"), {}), ((), {"MLIA_CONFIG": "absent.toml"})):
        run = mlia("profile", "show", "neural-technology", *args, env=env)
        assert run.status == 2 and run.err.startswith("mlia: error[E_CONFIG]: absent.toml: "), run


def test_precedence(mlia):
    """Command line over configuration over profile over built-in, each with its origin."""
    mlia.write("p.toml", GOOD.format(name="p") + OPTIONS + 'system_config = "peak-12sc-8nx-600mhz"\n')
    mlia.write("bare.toml", GOOD.format(name="bare"))
    mlia.write("c.toml", '[backend_options.nx-performance-estimator]\nsystem_config = "sustained-12sc-8nx-350mhz"\nskip_trivial_ops = true\n')

    def show(profile, *args):
        run = mlia("profile", "show", profile, "--json", *args)
        assert run.status == 0, run
        return run.json()["backend"]["nx-performance-estimator"], run.err

    values, _ = show("./bare.toml", "--config", "")
    assert values["system_config"]["origin"] == "built-in"
    values, _ = show("./p.toml", "--config", "")
    assert values["system_config"] == {"value": "peak-12sc-8nx-600mhz", "origin": "profile ./p.toml:7"}
    values, err = show("./p.toml", "--config", "c.toml")
    assert values["system_config"] == {"value": "sustained-12sc-8nx-350mhz", "origin": "config c.toml:2"}
    assert values["skip_trivial_ops"] == {"value": True, "origin": "config c.toml:3"}
    assert err == "mlia: note: nx-performance-estimator.system_config: c.toml:2 replaces the profile's 'peak-12sc-8nx-600mhz'\n"
    values, err = show("./bare.toml", "--config", "c.toml")
    assert err == ""
    values, _ = show("./p.toml", "--config", "c.toml", "--nx-performance-estimator.system-config", "default")
    assert values["system_config"] == {"value": "default", "origin": "command line"}
    values, _ = show("./p.toml", "--set", "memory.dram.bytes_per_cycle=24")
    assert values["memory.dram.bytes_per_cycle"] == {"value": 24, "origin": "command line"}
    run = mlia("profile", "show", "./p.toml", "-q", "--config", "c.toml")
    assert run.err == ""


def test_relative_paths_of_a_profile(mlia):
    mlia.write("deep/mine.ini", "[system]\nclock_mhz = 700\n")
    mlia.write("deep/p.toml", GOOD.format(name="p") + OPTIONS + 'system_config = "mine.ini"\n')
    run = mlia("profile", "show", "deep/p.toml", "--json")
    assert run.status == 0, run
    assert run.json()["backend"]["nx-performance-estimator"]["system.clock_mhz"]["value"] == 700


@pytest.mark.parametrize("text", ["memory.dram.bytes=1", "nonsense", "=1", "memory.dram.bytes_per_cycle=fast", "memory.dram.bytes_per_cycle=-1"])
def test_bad_overrides(mlia, text):
    run = mlia("check", "absent.tosa", "-t", "neural-technology", "--set", text)
    assert run.status == 2 and "error[E_OVERRIDE]" in run.err and run.out == "", run


def test_bad_estimator_configuration(mlia):
    mlia.write("vendor.ini", "[vendor_section]\nx = 1\n")
    run = mlia("check", "absent.tosa", "-t", "neural-technology", "--nx-performance-estimator.system-config", "vendor.ini")
    assert run.status == 2 and "error[E_ESTIMATOR_CONFIG]" in run.err and "vendor_section" in run.err, run
    run = mlia("check", "absent.tosa", "-t", "neural-technology", "--nx-performance-estimator.system-config", "absent.ini")
    assert run.status != 0 and run.err.startswith("mlia: error[") and "absent.ini" in run.err, run
