"""mlia convert: every route, equal answers along all of them, and the intermediate VGF that a check keeps."""
import pytest

from conftest import DATA, ROOT

SOURCES = {
    "tflite": DATA / "tflite/models/conv2d_i8_same_relu6.tflite",
    "tosa": ROOT / "examples/keyword_spotter.tosa",
    "vgf": ROOT / "examples/keyword_spotter.vgf",
}
TARGETS = {"tosa": ".tosa", "tosamlir": ".tosamlir", "vgf": ".vgf"}


def performance(mlia, model):
    done = mlia("check", model, "-t", "neural-technology", "--performance", "--no-output", "--json")
    assert done.status == 0, done
    result = done.json()["results"][0]
    return {metric["name"]: metric.get("value") for metric in result["metrics"]
            if metric["name"] in ("total_cycles", "dram_cycles", "compute_cycles", "model_weight_memory")}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", SOURCES)
def test_every_route_keeps_the_figures(mlia, source, target, tmp_path):
    output = tmp_path / f"model{TARGETS[target]}"
    done = mlia("convert", SOURCES[source], "-o", output)
    assert done.status == 0, done
    shown = mlia("inspect", output, "--json").json()
    assert shown["format"] == target
    assert performance(mlia, output) == performance(mlia, SOURCES[source])


@pytest.mark.parametrize("target", TARGETS)
def test_equal_input_gives_equal_bytes(mlia, target, tmp_path):
    files = [tmp_path / f"{name}{TARGETS[target]}" for name in ("a", "b")]
    for file in files:
        assert mlia("convert", SOURCES["tosa"], "-o", file).status == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("option, extension", [
    ("--no-debug-info", b"NonSemantic.Graph.DebugInfo.1"),
    ("--disable-replicated-composites", b"SPV_EXT_replicated_composites"),
])
def test_vgf_options_leave_extensions_out(mlia, tmp_path, option, extension):
    source = DATA / "vgf/12_data_layout.tosa"
    for options, expected in (([], True), ([option], False)):
        file = tmp_path / "model.vgf"
        assert mlia("convert", source, "-o", file, *options).status == 0
        assert (extension in file.read_bytes()) == expected


def test_unknown_target_writes_nothing(mlia, tmp_path):
    output = tmp_path / "model.xyz"
    done = mlia("convert", SOURCES["tosa"], "-o", output)
    assert (done.status, done.out) == (2, "") and "E_OPTION_MISSING" in done.err
    assert not output.exists()


def test_a_check_keeps_the_vgf(mlia, tmp_path):
    done = mlia("check", SOURCES["tosa"], "-t", "neural-technology", "--performance", "--output-dir", tmp_path)
    assert done.status == 0, done
    kept = tmp_path / "mlia-output/ml-sdk-model-converter/keyword_spotter.vgf"
    assert performance(mlia, kept) == performance(mlia, SOURCES["tosa"])


def test_inspect_shows_spirv_as_text(mlia):
    done = mlia("inspect", DATA / "vgf/01_add_const.vgf", "--spirv")
    assert done.status == 0, done
    lines = done.out.splitlines()
    assert lines[0] == "; module 0 graph_partition_0"
    assert any("OpGraphEntryPointARM" in line for line in lines) and lines[-1].strip() == "OpGraphEndARM"


def test_inspect_shows_spirv_of_nothing_else(mlia):
    done = mlia("inspect", SOURCES["tosa"], "--spirv")
    assert (done.status, done.out) == (1, "") and "E_FORMAT_BACKEND" in done.err
