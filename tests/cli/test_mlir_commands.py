"""TOSA MLIR on the command line: all forms of a module are one model, shapes can be given or required, errors say where."""
import pytest
from conftest import DATA

VALID = DATA / "mlir/valid"
TOSA = DATA / "tosa/valid"
NAMES = sorted(p.name[: -len(".generic.mlir")] for p in VALID.glob("*.generic.mlir") if p.name != "unranked.generic.mlir")
CHECK = ("check", "--target-profile", "neural-technology")

DYNAMIC = """module {
  func.func @main(%arg0: tensor<?x4xi32> {tosa.tensor_name = "x"}) -> tensor<?x4xi32> {
    %0 = tosa.add %arg0, %arg0 : (tensor<?x4xi32>, tensor<?x4xi32>) -> tensor<?x4xi32> loc("sum")
    return %0 : tensor<?x4xi32>
  }
}
"""


@pytest.mark.parametrize("name", NAMES)
def test_forms_convert_alike(mlia, name):
    results = []
    for ending in (".mlir", ".mlirbc"):
        run = mlia("convert", VALID / (name + ending), "--to", "tosamlir", "--output", "-")
        assert run.status == 0, run
        results.append(run.out)
    assert results[0] == results[1]
    assert results[0].startswith("module attributes {tosa.fbs_version")


@pytest.mark.parametrize("name", ["conv2d_i8", "while_loop_i32", "const_types"])
def test_through_flatbuffers_and_back(mlia, name):
    assert mlia("convert", VALID / f"{name}.mlir", "-o", "a.tosa").status == 0
    assert mlia("convert", "a.tosa", "-o", "b.tosamlir").status == 0
    direct = mlia("convert", VALID / f"{name}.mlir", "-o", "-", "--to", "tosamlir")
    assert (mlia.folder / "b.tosamlir").read_text().splitlines()[1:] == direct.out.splitlines()[1:]


def test_input_shape(mlia):
    mlia.write("m.mlir", DYNAMIC)
    assumed = mlia("convert", "m.mlir", "-o", "-", "--to", "tosamlir")
    assert "?" not in assumed.out and "-> tensor<1x4xi32> loc(#loc0)" in assumed.out and "W_TOSA_BATCH" in assumed.err
    given = mlia("convert", "m.mlir", "-o", "-", "--to", "tosamlir", "--input-shape", "x=3x4")
    assert given.status == 0 and "?" not in given.out and "-> tensor<3x4xi32> loc(#loc0)" in given.out


def test_require_static_shape(mlia):
    mlia.write("m.mlir", DYNAMIC)
    refused = mlia("convert", "m.mlir", "-o", "m.vgf", "--require-static-shape", "--error-format", "json")
    assert refused.status == 1
    assert refused.errors()[-1]["code"] == "E_TOSA_SHAPE"
    assert refused.errors()[-1]["message"] == "dimension 0 of input 'x' is unknown"
    assert not (mlia.folder / "m.vgf").exists()
    given = mlia("convert", "m.mlir", "-o", "m.vgf", "--require-static-shape", "--input-shape", "2x4")
    assert given.status == 0, given
    assumed = mlia("convert", "m.mlir", "-o", "m.vgf", "--error-format", "json")
    assert assumed.status == 0 and [e["code"] for e in assumed.errors()] == ["W_TOSA_BATCH"]


def test_error_place(mlia):
    mlia.write("m.mlir", DYNAMIC.replace("tosa.add %arg0, %arg0", "tosa.add %arg0, %nothing"))
    run = mlia("inspect", "m.mlir", "--error-format", "json")
    error = run.errors()[0]
    assert run.status == 1
    assert (error["code"], error["line"], error["column"]) == ("E_MLIR_DANGLING", 3, 26)
    assert error["path"] == "m.mlir"
    text = mlia("inspect", "m.mlir")
    assert "m.mlir:" in text.err and "3:26" in text.err


@pytest.mark.parametrize("ending", [".mlir", ".generic.mlir", ".mlirbc"])
def test_check(mlia, ending):
    run = mlia(*CHECK, VALID / f"tiny_int8_net{ending}", "--performance", "--compatibility", "--json", "--output-dir", "out")
    assert run.status == 0, run
    document = run.json()
    assert document["model"]["format"] == "tosamlir"
    assert all(result["status"] == "ok" for result in document["results"])
    assert "ml-sdk-model-converter" in [backend["id"] for backend in document["backends"]]
    kept = mlia.folder / "out/mlia-output/ml-sdk-model-converter"
    assert [p.suffix for p in kept.iterdir()] == [".vgf"]
    assert mlia("inspect", next(kept.iterdir())).status == 0


def test_same_figures_in_every_form(mlia):
    figures = []
    for path in (VALID / "tiny_int8_net.mlir", VALID / "tiny_int8_net.mlirbc", TOSA / "tiny_int8_net.tosa"):
        document = mlia(*CHECK, path, "--performance", "--json", "--no-output").json()
        figures.append({m["name"]: m.get("value") for m in document["results"][0]["metrics"]})
    assert figures[0] and figures[0] == figures[1] == figures[2]


def test_input_without_name_is_told_by_position(mlia):
    mlia.write("m.mlir", DYNAMIC.replace(' {tosa.tensor_name = "x"}', "").replace("?x4", "?x?"))
    run = mlia("convert", "m.mlir", "-o", "m.vgf", "--error-format", "json")
    assert run.status == 1 and "input '0'" in run.errors()[-1]["message"]
    assert mlia("convert", "m.mlir", "-o", "m.vgf", "--input-shape", "0=2x4").status == 0


def test_function_that_returns_nothing(mlia):
    mlia.write("m.mlir", "func.func @main() {\n  return\n}\n")
    run = mlia("convert", "m.mlir", "-o", "m.vgf", "--error-format", "json")
    assert run.status == 1 and "returns nothing" in run.errors()[-1]["message"]


def test_types_without_instruction(mlia):
    """The official converter refuses them; so does the conversion, and says what would be possible."""
    mlia.write("m.mlir", DYNAMIC.replace("i32", "i8").replace("?x4", "3x4"))
    run = mlia("convert", "m.mlir", "-o", "m.vgf", "--error-format", "json")
    assert run.status == 1 and run.errors()[-1]["code"] == "E_TOSA_TYPE"
    assert "INT32" in run.errors()[-1]["message"] and not (mlia.folder / "m.vgf").exists()
