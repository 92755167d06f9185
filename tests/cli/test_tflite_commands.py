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


def check_both(mlia, model, *extra, **options):
    run = mlia("check", model, "-t", "neural-technology", "--compatibility", "--performance", "--no-output", "--quiet", *extra, **options)
    assert run.status == 0, run
    return run


def test_custom_operators_spoil_only_themselves(mlia):
    model = MODELS / "custom_op.tflite"
    results = {result["kind"]: result for result in check_both(mlia, model, "--json").json()["results"]}
    assert results["compatibility"]["status"] == results["performance"]["status"] == "partial"
    failed = [check for check in results["compatibility"]["checks"] if check["status"] == "fail"]
    assert [check["entity_id"] for check in failed] == ["source_operator/operator/1"]
    first = failed[0]["details"]["reasons"][0]
    assert first["code"] == "E_TFLITE_OPERATOR" and "operator of the application" in first["detail"]
    unpriced = next(a for a in results["performance"]["advice"] if a["id"] == "nx.unestimated")
    assert unpriced["affected_entity_ids"] == ["source_operator/operator/1"]


def model_of(folder, build):
    """A model that `build` fills, written with the fixture writer."""
    pytest.importorskip("flatbuffers", reason="needs the Python package flatbuffers")
    sys.path.insert(0, str(DATA / "tflite"))
    import tflite_builder
    model = tflite_builder.Model()
    build(model)
    path = folder / "made.tflite"
    model.save(path)
    return path


def unlowered(model):
    """RELU, UNIQUE (depends on data), TOPK_V2 of too many (a limit), FlexErf (TensorFlow's own), RELU."""
    g = model.graph()
    x, a, u, f, y = (g.tensor(name, (100,), "float32") for name in ("x", "a", "u", "f", "y"))
    i, v, k = g.tensor("i", (100,), "int32"), g.tensor("v", (65,), "float32"), g.tensor("k", (65,), "int32")
    g.op("RELU", [x], [a])
    g.op("UNIQUE", [a], [u, i], dict(idx_out_type=2))
    g.op("TOPK_V2", [a, g.const("most", [65], "int32", shape=())], [v, k])
    g.op("CUSTOM", [u], [f], custom="FlexErf", custom_options=b"\x01\x02")
    g.op("RELU", [f], [y])
    g.io([x], [y, v])


REASONS = {
    "source_operator/operator/1": ("UNIQUE", "E_TFLITE_DATA_DEPENDENT", "the shape of its result depends on the data"),
    "source_operator/operator/2": ("TOPK_V2", "E_TFLITE_LIMIT", "k = 65 on floats, at most 64"),
    "source_operator/operator/3": ("FlexErf", "E_TFLITE_OPERATOR", "a TensorFlow operator"),
}


@pytest.mark.parametrize("converted", [False, True], ids=["tflite", "tosa"])
def test_every_operator_says_what_stops_it(mlia, converted):
    """In the document, the text report and the table of entities; a TOSA file keeps the reasons."""
    path = model_of(mlia.folder, unlowered)
    if converted:
        assert mlia("convert", path, "-o", "kept.tosa").status == 0
        path = mlia.folder / "kept.tosa"
    results = {result["kind"]: result for result in check_both(mlia, path, "--json").json()["results"]}
    assert results["compatibility"]["status"] == results["performance"]["status"] == "partial"
    entities = {e["id"]: e for e in results["compatibility"]["entities"]}
    failed = {}
    for check in results["compatibility"]["checks"]:
        if check["status"] == "fail":
            attributes = entities[check["entity_id"]]["attributes"]
            key = "source_operator/" + attributes["origin"] if converted else check["entity_id"]
            failed[key] = (attributes["origin_type" if converted else "op_type"], check["details"])
    assert {key: kind for key, (kind, _) in failed.items()} == {key: kind for key, (kind, *_) in REASONS.items()}
    text = check_both(mlia, path, env={"COLUMNS": "200"}).out
    table = check_both(mlia, path, "--format", "csv-wide").out
    for key, (kind, code, detail) in REASONS.items():
        reason = failed[key][1]["reasons"][0]
        assert (reason["code"], detail in reason["detail"]) == (code, True), reason
        assert failed[key][1]["error"] == reason["detail"]
        assert any(kind in line and reason["detail"] in line for line in text.splitlines())
        assert reason["detail"] in table.replace('""', '"')
    advice = results["compatibility"]["advice"][0]
    assert advice["id"] == "nx.unsupported-operator" and all(kind in advice["message"] for kind, *_ in REASONS.values())


def test_kept_operators_keep_their_options(mlia):
    assert mlia("convert", model_of(mlia.folder, unlowered), "-o", "kept.tosamlir").status == 0
    text = (mlia.folder / "kept.tosamlir").read_text()
    assert text.count('domain_name = "TFL"') == 3
    assert r'implementation_attrs = "{\22version\22:1,\22options\22:{\22idx_out_type\22:2}}", operator_name = "UNIQUE"' in text
    assert r'implementation_attrs = "\01\02", operator_name = "FlexErf"' in text


def test_vgf_refuses_what_stays_custom(mlia):
    run = mlia("convert", model_of(mlia.folder, unlowered), "-o", "kept.vgf")
    assert run.status != 0 and "kept.vgf" not in mlia.files(), run
    assert "UNIQUE" in run.err and "depends on the data" in run.err


def test_attribution_survives_tosa_mlir_and_vgf(mlia):
    """TOSA keeps key, type and tensor name, MLIR and what is made from it key and name."""
    previous = MODELS / "fc_i8_relu.tflite"
    for name in ("m.tosa", "m.tosamlir", "m.vgf"):
        done = mlia("convert", previous, "-o", name, "--quiet")
        assert done.status == 0, done
        run = mlia("check", name, "-t", "neural-technology", "--compatibility", "--no-output", "--json", "--quiet")
        found = [e for e in source_operators(run).values() if "origin" in e["attributes"]]
        assert {(e["attributes"]["origin"], e["name"]) for e in found} == {("operator/0", "fully_connected_3")}
        assert {e["attributes"].get("origin_type") for e in found} == {"FULLY_CONNECTED" if name == "m.tosa" else None}
        previous = name


def test_locations_in_mlir(mlia):
    for name, expected in (("fc_f16_weights", 'loc("operator/2"("fully_connected_5"("fc_f16_weights.tflite":0:2)))'),
                           ("split_pack_concat", 'loc("operator/2"(fused["unpack_5_0"("split_pack_concat.tflite":0:2), '
                                                 '"unpack_5_1"("split_pack_concat.tflite":0:2)]))')):
        assert mlia("convert", MODELS / f"{name}.tflite", "-o", "m.tosamlir").status == 0
        assert expected in (mlia.folder / "m.tosamlir").read_text()
    assert mlia("convert", MODELS / "fc_f16_weights.tflite", "-o", "m.tosa").status == 0
    assert mlia("convert", "m.tosa", "-o", "n.tosamlir").status == 0
    assert 'loc("operator/2"("fully_connected_5"))' in (mlia.folder / "n.tosamlir").read_text()


def test_operators_that_were_worked_out_stay_attributed(mlia):
    """Two DEQUANTIZE of float16 constants leave nothing behind: FULLY_CONNECTED stands for them, in TOSA files too."""
    run = mlia("check", MODELS / "fc_f16_weights.tflite", "-t", "neural-technology", "--compatibility", "--no-output", "--json", "--quiet")
    (entity,) = source_operators(run).values()
    assert entity["id"] == "source_operator/operator/2" and entity["attributes"]["absorbed"] == ["operator/0", "operator/1"]
    assert mlia("convert", MODELS / "fc_f16_weights.tflite", "-o", "m.tosa").status == 0
    assert b'"mlia":{"operators":["operator/2","operator/0","operator/1"]}' in (mlia.folder / "m.tosa").read_bytes()
    run = mlia("check", "m.tosa", "-t", "neural-technology", "--compatibility", "--no-output", "--json", "--quiet")
    found = [e["attributes"] for e in source_operators(run).values() if "origin" in e["attributes"]]
    assert {a["origin"] for a in found} == {"operator/2"} and all(a["absorbed"] == ["operator/0", "operator/1"] for a in found)


@pytest.mark.parametrize("name", ["models/ad01_int8", "models/kws_ref_model", "models/kws_ref_model_float32", "models/pretrainedResnet",
                                  "models/pretrainedResnet_quant", "calibration/ds_cnn_large", "calibration/mobilenet_v1_0.25_224"])
def test_estimates_agree_with_those_of_the_official_conversion(mlia, fixtures, name):
    """The same network gives the same figures as TensorFlow Lite and as the TOSA that the official converter made of it."""
    figures = []
    for suffix in ("tflite", "tosa"):
        run = mlia("check", fixtures / f"{name}.{suffix}", "-t", "neural-technology", "--performance", "--no-output", "--quiet", "--json")
        (result,) = run.json()["results"]
        assert result["status"] == "ok"
        figures.append({m["name"]: m.get("value") for m in result["metrics"]})
    (ours, official) = figures
    assert ours.pop("accelerator_operator_percentage") > 0 and official.pop("accelerator_operator_percentage") > 0
    assert ours.pop("average_memory") == pytest.approx(official.pop("average_memory"), rel=1e-3)  # the order of SOFTMAX's smallest parts
    assert ours == official


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
