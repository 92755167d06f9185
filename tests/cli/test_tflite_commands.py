"""TensorFlow Lite models on the command line: options, files beside the model, refusals, partial answers."""
import json
import os
import sys

import pytest
from conftest import DATA

MODELS = DATA / "tflite/models"
# What no longer looks like TensorFlow Lite is refused before its reader sees it.
BY_CONTENT = {"bad_identifier.tflite": "E_FORMAT_UNKNOWN", "short.tflite": "E_FORMAT_UNKNOWN"}
MALFORMED = dict(line.split() for line in (DATA / "tflite/malformed/expected.tsv").read_text().splitlines())


def edges(mlia, path):
    segment = mlia("inspect", path, "--json", "--quiet").json()["segments"][0]
    return [x["name"] for x in segment["inputs"]], [x["name"] for x in segment["outputs"]]


def source_operators(run, kind="compatibility"):
    result = next(r for r in run.json()["results"] if r["kind"] == kind)
    return {e["id"]: e for e in result["entities"] if e["kind"] == "source_operator"}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_malformed_models_are_refused_and_leave_no_file(mlia, name):
    run = mlia("convert", DATA / "tflite/malformed" / name, "-o", "out.tosa", "--error-format", "json")
    assert run.status == 1, run
    assert run.errors()[-1]["code"] == BY_CONTENT.get(name, MALFORMED[name]), run
    assert "out.tosa" not in mlia.files()


def test_state(mlia):
    model = MODELS / "lstm_i8.tflite"
    assert mlia("convert", model, "-o", "v.tosa").status == 0
    assert mlia("convert", model, "-o", "io.tosa", "--tflite-state", "io").status == 0
    zero = mlia("convert", model, "-o", "zero.tosa", "--tflite-state", "zero")
    assert zero.status == 0 and "not carried between runs" in zero.err
    types = mlia("inspect", "v.tosa", "--json").json()["segments"][0]["operator_types"]
    assert types["VARIABLE_READ"] == types["VARIABLE_WRITE"] == 2
    inputs, outputs = edges(mlia, "io.tosa")
    assert inputs[1:] == ["h", "c"] and outputs[1:] == ["h_next", "c_next"]
    assert len(edges(mlia, "zero.tosa")[0]) == 1


def test_rounding_changes_the_file(mlia):
    files = []
    for rounding in ("reference", "single", "official"):
        assert mlia("convert", MODELS / "fc_i8_relu.tflite", "-o", f"{rounding}.tosamlir", "--tflite-rounding", rounding).status == 0
        files.append((mlia.folder / f"{rounding}.tosamlir").read_text())
    assert files[0] == files[1] != files[2]  # this operator rounds once in the interpreter too


def test_signature_and_subgraph(mlia):
    model = MODELS / "names_and_io.tflite"
    described = mlia("inspect", model, "--json", "--quiet").json()["tflite"]
    assert len(described["signatures"]) == 2
    for signature in described["signatures"]:
        assert mlia("convert", model, "-o", "a.tosa", "--signature", signature["key"]).status == 0
        graph = described["subgraphs"][signature["subgraph"]]
        assert len(edges(mlia, "a.tosa")[0]) == len(graph["inputs"])
        assert mlia("convert", model, "-o", "b.tosa", "--subgraph", str(signature["subgraph"])).status == 0
        assert (mlia.folder / "a.tosa").read_bytes() == (mlia.folder / "b.tosa").read_bytes()
    unknown = mlia("convert", model, "-o", "c.tosa", "--signature", "no such")
    assert unknown.status != 0 and "E_OPTION_VALUE" in unknown.err and described["signatures"][0]["key"] in unknown.err
    assert "E_OPTION_VALUE" in mlia("convert", model, "-o", "c.tosa", "--subgraph", "99").err
    assert "E_OPTION_CONFLICT" in mlia("convert", model, "-o", "c.tosa", "--subgraph", "0", "--signature", "x").err


def test_options_mean_nothing_for_other_formats(mlia):
    assert mlia("convert", MODELS / "fc_i8_relu.tflite", "-o", "a.tosa").status == 0
    run = mlia("convert", "a.tosa", "-o", "b.tosamlir", "--tflite-state", "io")
    assert run.status != 0 and "E_OPTION_UNUSED" in run.err


def test_inspect(mlia):
    run = mlia("inspect", MODELS / "conv2d_i8_same_relu6.tflite", "--json", "--operators", "--tensors")
    graph = run.json()["tflite"]["subgraphs"][0]
    assert graph["operator_types"] == {"CONV_2D": 1}
    operator = graph["operators"][0]
    weights, bias = (next(t for t in graph["tensors"] if t["name"] == name) for name in operator["inputs"][1:])
    count = 1
    for size in weights["shape"]:
        count *= size
    assert operator["parameters"] == graph["parameters"] == count + bias["shape"][0]
    assert len(weights["quantization"]["scales"]) == weights["shape"][0]
    output = graph["outputs"][0]["shape"]
    assert operator["macs"] == graph["macs"] == output[0] * output[1] * output[2] * count


def test_check_names_the_operators_of_the_model(mlia):
    run = mlia("check", MODELS / "softmax_i8.tflite", "-t", "neural-technology", "--compatibility", "--no-output", "--json", "--quiet")
    assert run.status == 0, run
    operators = source_operators(run)
    assert list(operators) == ["source_operator/operator/0"]
    assert operators["source_operator/operator/0"]["attributes"]["op_type"] == "SOFTMAX"


def test_custom_operators_spoil_only_themselves(mlia):
    run = mlia("check", MODELS / "custom_op.tflite", "-t", "neural-technology", "--compatibility", "--performance", "--no-output",
               "--json", "--quiet")
    results = {result["kind"]: result for result in run.json()["results"]}
    assert results["compatibility"]["status"] == results["performance"]["status"] == "partial"
    failed = [check for check in results["compatibility"]["checks"] if check["status"] == "fail"]
    assert [check["entity_id"] for check in failed] == ["source_operator/operator/1"]
    assert failed[0]["details"]["reasons"]


def test_attribution_survives_tosa_mlir_and_vgf(mlia):
    model = MODELS / "fc_i8_relu.tflite"
    previous = model
    for name in ("m.tosa", "m.tosamlir", "m.vgf"):
        done = mlia("convert", previous, "-o", name, "--quiet")
        assert done.status == 0, done
        run = mlia("check", name, "-t", "neural-technology", "--compatibility", "--no-output", "--json", "--quiet")
        origins = {(e["attributes"]["origin"], e["attributes"]["origin_type"])
                   for e in source_operators(run).values() if "origin" in e["attributes"]}
        assert origins == {("operator/0", "FULLY_CONNECTED")}
        previous = name


# --- files beside the model ---

def external_model(folder, file_name):
    """A model whose weights are in another file."""
    import flatbuffers
    sys.path.insert(0, str(DATA / "tflite"))
    b = flatbuffers.Builder(1024)

    def table(slots, fields):
        b.StartObject(slots)
        for slot, kind, value in fields:
            if kind == "off":
                b.PrependUOffsetTRelativeSlot(slot, value, 0)
            else:
                {"u32": b.PrependUint32Slot, "u64": b.PrependUint64Slot, "i8": b.PrependInt8Slot,
                 "i32": b.PrependInt32Slot}[kind](slot, value, 0)
        return b.EndObject()

    def offsets(values):
        b.StartVector(4, len(values), 4)
        for value in reversed(values):
            b.PrependUOffsetTRelative(value)
        return b.EndVector()

    def numbers(values):
        b.StartVector(4, len(values), 4)
        for value in reversed(values):
            b.PrependInt32(value)
        return b.EndVector()

    def tensor(name, external):
        text, shape = b.CreateString(name), numbers([1, 4])
        return table(11, [(0, "off", shape), (3, "off", text), (10, "u32", external)])

    tensors = offsets([tensor("x", 0), tensor("w", 7), tensor("y", 0)])
    ins, outs = numbers([0, 1]), numbers([2])
    operators = offsets([table(14, [(1, "off", ins), (2, "off", outs)])])
    edge_in, edge_out = numbers([0]), numbers([2])
    graph = offsets([table(6, [(0, "off", tensors), (1, "off", edge_in), (2, "off", edge_out), (3, "off", operators)])])
    codes = offsets([table(4, [(0, "i8", 0), (2, "i32", 1)])])
    buffers = offsets([table(3, [])])
    text = b.CreateString(file_name)
    groups = offsets([table(1, [(0, "off", text)])])
    external = offsets([table(5, [(0, "u32", 7), (1, "u32", 0), (2, "u64", 16), (3, "u64", 16)])])
    b.Finish(table(10, [(0, "u32", 3), (1, "off", codes), (2, "off", graph), (4, "off", buffers), (8, "off", groups),
                        (9, "off", external)]), b"TFL3")
    path = folder / "external.tflite"
    path.write_bytes(bytes(b.Output()))
    return path


def test_external_buffers(mlia):
    pytest.importorskip("flatbuffers", reason="needs the Python package flatbuffers")
    (mlia.folder / "weights").mkdir()
    weights = mlia.folder / "weights/w.bin"
    weights.write_bytes(bytes(16) + b"\x00\x00\x80\x3f" * 4)
    model = external_model(mlia.folder, "weights/w.bin")
    run = mlia("inspect", model, "--json", "--tensors")
    assert run.status == 0, run
    tensor = run.json()["tflite"]["subgraphs"][0]["tensors"][1]
    assert tensor["constant_bytes"] == 16
    weights.write_bytes(bytes(31))  # one byte short
    assert "E_TFLITE_BUFFER_RANGE" in mlia("inspect", model).err
    weights.unlink()
    assert "E_TFLITE_BUFFER_RANGE" in mlia("inspect", model).err
    (mlia.folder / "secret.bin").write_bytes(bytes(64))
    os.symlink(mlia.folder / "secret.bin", weights)
    linked = mlia("inspect", model)
    assert linked.status == 1 and "links are not followed" in linked.err
    for name in ("../secret.bin", "/etc/passwd", "./w.bin", "weights//w.bin", ""):
        run = mlia("inspect", external_model(mlia.folder, name))
        assert run.status == 1 and "E_TFLITE_BUFFER_RANGE" in run.err, run
