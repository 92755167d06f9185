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


def test_no_debug_info_leaves_locations_out_of_tosa(mlia, tmp_path):
    for name in ("model.tosamlir", "model.tosa"):
        file = tmp_path / name
        assert mlia("convert", DATA / "tosa/valid/loc_forms.tosa", "-o", file).status == 0
        assert b"plain/layer name" in file.read_bytes()
        assert mlia("convert", DATA / "tosa/valid/loc_forms.tosa", "-o", file, "--no-debug-info").status == 0
        assert b"plain/layer name" not in file.read_bytes()


def test_operators_without_location_are_named_by_line(mlia):
    """Text that the TensorFlow Lite converter writes has no locations."""
    mlia.write("folder/m.mlir", """func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tosa.clz %x : (tensor<4xi32>) -> tensor<4xi32>
  %1 = tosa.bitwise_not %0 : (tensor<4xi32>) -> tensor<4xi32> loc("inverse")
  return %1 : tensor<4xi32>
}""")
    assert mlia("convert", "folder/m.mlir", "-o", "m.vgf").status == 0
    text = mlia("convert", "m.vgf", "-o", "-", "--to", "tosamlir").out
    assert 'loc("m.mlir:2:3")' in text and 'loc("inverse")' in text


CUSTOM = DATA / "vgf/21_custom_call.tosa"  # one operator of the domain com.example.accel
DOMAIN = "--custom-op-domain-to-opcode"


def called(mlia, file):
    """Opcodes of the custom operators of a VGF."""
    text = mlia("inspect", file, "--spirv").out
    return [line.split(" CALL ")[1].split()[0] for line in text.splitlines() if " CALL " in line]


@pytest.mark.parametrize("options, opcode", [
    ((DOMAIN, "com.example.accel:42"), "42"),
    ((DOMAIN, "com.example.accel:0x2A"), "42"),
    ((DOMAIN + "=com.example.accel:-1",), "-1"),
    ((DOMAIN, "com.example.accel:1", DOMAIN, "other:3", DOMAIN, "com.example.accel:2"), "2"),
])
def test_opcodes_of_custom_operators(mlia, tmp_path, options, opcode):
    file = tmp_path / "model.vgf"
    done = mlia("convert", CUSTOM, "-o", file, *options)
    assert done.status == 0, done
    assert called(mlia, file) == [opcode]


def test_bespoke_operators(mlia, tmp_path):
    source = mlia.write("m.mlir", (DATA / "vgf/21_custom_call.tosa.mlir").read_text().replace("com.example.accel", "com.arm.bespoke"))
    file = tmp_path / "model.vgf"
    refused = mlia("convert", source, "-o", file)
    assert refused.status == 1 and "domain 'com.arm.bespoke'" in refused.err and not file.exists()
    assert mlia("convert", source, "-o", file, "--enable-bespoke").status == 0
    assert called(mlia, file) == ["0"]
    reserved = mlia("convert", source, "-o", file, DOMAIN, "com.arm.bespoke:1")
    assert reserved.status == 2 and "--enable-bespoke" in reserved.err


@pytest.mark.parametrize("value", ["com.example.accel", ":4", "a:", "a:4x", "a: 4", "a:+4", "a:4294967296", "a:2147483648", "a:4 "])
def test_bad_opcodes(mlia, value):
    done = mlia("convert", CUSTOM, "-o", "m.vgf", DOMAIN, value)
    assert done.status == 2 and f"'{value}' is no DOMAIN:N" in done.err


def test_options_that_have_no_effect(mlia):
    for option in (("--type-narrowing", "full"), ("--disable-replicated-composites",), (DOMAIN, "a:1"), ("--enable-bespoke",)):
        done = mlia("convert", SOURCES["tosa"], "-o", "m.tosamlir", *option)
        assert done.status == 2 and "E_OPTION_UNUSED" in done.err and option[0] in done.err


@pytest.mark.parametrize("option, instead", [
    ("--input=m.tosa", "without an option"),
    ("-i", "without an option"),
    ("--tosa-flatbuffer", "'--to tosa'"),
    ("--dump-mlir", "'--to tosamlir'"),
    ("--emit-debug-info", "'--no-debug-info'"),
    ("--experimental-analysis", "'mlia check --compatibility'"),
    ("--tosa-output-path", "'--output FILE'"),
])
def test_options_of_the_official_converters(mlia, option, instead):
    done = mlia("convert", option, SOURCES["tosa"], "-o", "m.vgf")
    assert done.status == 2 and "E_OPTION_UNKNOWN" in done.err and instead in done.err


BATCH = DATA / "tosa/valid/dyn_batch.tosa"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("options, fixed", [((), "as_1"), (("--input-shape", "3x4"), "as_3"), (("--input-shape", "input_0=3,4"), "as_3")])
def test_unknown_batch(mlia, tmp_path, target, options, fixed):
    """Every target has the shapes of the file with that batch, in shape constants too."""
    files = [tmp_path / f"{name}{TARGETS[target]}" for name in ("open", "fixed")]
    done = mlia("convert", BATCH, "-o", files[0], *options, "--no-debug-info")
    assert done.status == 0, done
    assert done.err.count("warning[W_TOSA_BATCH]") == (0 if options else 1)
    assert mlia("convert", DATA / f"tosa/valid/dyn_batch_{fixed}.tosa", "-o", files[1], "--no-debug-info").status == 0
    texts = [mlia("convert", file, "-o", "-", "--to", "tosamlir", "--no-debug-info").out for file in files]
    assert texts[0] == texts[1] and "?" not in texts[0] and "-1, " not in texts[0].split("const_shape", 1)[1].splitlines()[0]


def test_unknown_dimensions_can_be_kept(mlia, tmp_path):
    for name, text in (("m.tosamlir", b"tensor<?x4xi8>"), ("m.tosa", b""), ("m.vgf", b"")):
        done = mlia("convert", BATCH, "-o", tmp_path / name, "--keep-unknown-dimensions")
        assert (done.status, done.err) == (0, ""), done
        assert text in (tmp_path / name).read_bytes()
        again = mlia("convert", tmp_path / name, "-o", "-", "--to", "tosamlir", "--keep-unknown-dimensions")
        assert "%arg0: tensor<?x4xi8>" in again.out, again
    for other in (("--input-shape", "3x4"), ("--require-static-shape",)):
        done = mlia("convert", BATCH, "-o", tmp_path / "m.tosa", "--keep-unknown-dimensions", *other)
        assert done.status == 2 and "E_OPTION_CONFLICT" in done.err


@pytest.mark.parametrize("target", TARGETS)
def test_shapes_that_cannot_be_known(mlia, target):
    unranked = mlia("convert", DATA / "tosa/valid/unranked.tosa", "-o", "m" + TARGETS[target])
    assert unranked.status == 1 and "E_TOSA_SHAPE" in unranked.err and "input 'input_0' has no rank" in unranked.err
    mlia.write("m.mlir", """module { func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %0 = tosa.custom %x {domain_name = "d", implementation_attrs = "", operator_name = "o"} : (tensor<?x4xf32>) -> tensor<?x4xf32> loc("call")
    return %0 : tensor<?x4xf32> } }""")
    done = mlia("convert", "m.mlir", "-o", "m" + TARGETS[target])
    assert done.status == 1
    assert "m.mlir:2:5: operator 0: CUSTOM 'call': result has unknown dimensions [?, 4]" in done.err, done.err
    assert "input '0' has an unknown first dimension" in done.err


@pytest.mark.parametrize("options, reason", [
    (("--input-shape", "3x4x5"), "has rank 2, the given shape has 3"),
    (("--input-shape", "nobody=3x4"), "no input 'nobody'; the inputs are 'input_0'"),
    (("--input-shape", "3x4", "--input-shape", "input_0=2x4"), "input 'input_0' is given two shapes"),
    (("--input-shape", "3x5"), "operators[1]: RESHAPE 'dyn_batch/r': input 'input_0' [3, 5] has 15 elements"),
])
def test_shapes_that_do_not_fit(mlia, options, reason):
    done = mlia("convert", BATCH, "-o", "m.tosa", *options)
    assert done.status in (1, 2) and reason in done.err, done


@pytest.mark.parametrize("options", [(), ("--keep-unknown-dimensions",)])
@pytest.mark.parametrize("target", TARGETS)
def test_shapes_that_contradict_the_operators(mlia, target, options):
    mlia.write("m.mlir", """func.func @main(%x: tensor<4xi32>, %y: tensor<3xi32>) -> tensor<5xi32> {
  %0 = tosa.abs %x : (tensor<4xi32>) -> tensor<5xi32> loc("positive")
  return %0 : tensor<5xi32>
}""")
    done = mlia("convert", "m.mlir", "-o", "m" + TARGETS[target], *options)
    assert done.status == 1, done
    assert "E_TOSA_SHAPE]: m.mlir:2:3: operator 0: ABS 'positive': result becomes [4], the file says [5]" in done.err
    mlia.write("m.mlir", """func.func @main(%x: tensor<4xi32>, %y: tensor<3xi32>) -> tensor<4xi32> {
  %0 = tosa.add %x, %y : (tensor<4xi32>, tensor<3xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}""")
    done = mlia("convert", "m.mlir", "-o", "m" + TARGETS[target], *options)
    assert done.status == 1 and "m.mlir:2:3: operator 0: ADD: " in done.err, done
    assert not (mlia.folder / ("m" + TARGETS[target])).exists()


@pytest.mark.parametrize("name, reason", [
    ("cond_if_i32", "COND_IF 'cond_if_i32/output': a VGF has no control flow"),
    ("while_loop_i32", "WHILE_LOOP 'while_loop_i32/n_out': a VGF has no control flow"),
    ("variable_i8", "a VGF has no variables"),
])
def test_what_a_vgf_cannot_hold(mlia, name, reason):
    for ending, place in ((".mlir", f"{name}.mlir:"), (".mlirbc", f"{name}.mlirbc: byte ")):
        done = mlia("convert", DATA / f"mlir/valid/{name}{ending}", "-o", "m.vgf")
        assert done.status == 1 and "E_TOSA_UNSUPPORTED" in done.err and reason in done.err and place in done.err, done
        assert not (mlia.folder / "m.vgf").exists()


def test_the_model_is_not_overwritten(mlia):
    text = (DATA / "mlir/valid/conv2d_i8.mlir").read_bytes()
    mlia.write("m.mlir", text)
    (mlia.folder / "link.tosa").symlink_to("m.mlir")
    for output in ("m.mlir", "./m.mlir", "link.tosa"):
        done = mlia("convert", "m.mlir", "-o", output)
        assert done.status == 2 and "is the file that is read" in done.err
        assert (mlia.folder / "m.mlir").read_bytes() == text


def test_bytecode_is_not_written(mlia):
    done = mlia("convert", SOURCES["tosa"], "-o", "m.mlirbc")
    assert done.status == 2 and "'--to tosamlir'" in done.err and mlia.files() == []


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
