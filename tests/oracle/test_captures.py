"""Random captures, sound and damaged, judged by a second reader (tests/data/capture/reference_reader.py)."""
import json
import os
import random
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "data" / "capture"), str(ROOT / "tests" / "cli")]
import make_captures as maker  # noqa: E402
import reference_reader as reader  # noqa: E402
from test_capture import check, compare, kind_of  # noqa: E402

LABELS = ["TOSACONV2D_spirv_id_52", "TOSARESCALE_spirv_id_61", "x_spirv_id_63", maker.CONV_LABEL, maker.CLAMP_LABEL,
          "block/pool", "block/conv/Conv2D", "nope", "a;b", "[q;r];s", '"a;b";c', '{"k":1;2}', "", " sp ",
          "block/conv/Conv2D;tail", "x_spirv_id_066", "z_spirv_id_9999"]
VALUES = ["0", "1", "-1", "true", "null", "1.0", "1e5", '""', '"x"', "[]", "{}", "18446744073709551616",
          "18446744073709551615", "9223372036854775808", "4294967296", "NaN", "-0", '"\\u0000a"', '"\\ud83d\\ude00"', "[1,]"]


def ids(base, count):
    return [str(base + i) for i in range(count)]


def some(rng, choices, most):
    return [rng.choice(choices) for _ in range(rng.randint(0, most))]


def random_database(rng, blocks):
    tosa, fused, chains = ids(10, rng.randint(0, 6)), ids(20, rng.randint(0, 4)), ids(30, rng.randint(0, 3))
    column = rng.choice(["stripe_op_id", "stripe_op_indexs"])
    own = column == "stripe_op_indexs"
    stripes = [(str(i if own else 500 + i), rng.choice(chains + [""]), rng.choice(["40", "41", ""])) for i in range(blocks)]
    present = [i for i in range(blocks) if rng.random() < .9]
    indexes = [("9", ids(0, blocks)[:len(present)])] if own else [(str(i), str(500 + rng.randrange(blocks + 1))) for i in present]
    return maker.db(
        [(t, rng.choice([["Conv2D"], ["A", "B"], [""]]), some(rng, LABELS if rng.random() < .1 else LABELS[:-2], 3)) for t in tosa],
        [(f, some(rng, tosa + ["77"], 3)) for f in fused], [(c, some(rng, fused + ["88"], 3)) for c in chains], [],
        stripes, indexes, style=rng.choice(["framed", "raw", "loose"]), index_column=column)


def random_capture(rng):
    mode, generation, blocks = rng.choice([0, 1]), rng.choice([1, 2]), rng.randint(1, 4)
    per_block, task_words = maker.BLOCK_TASKS[mode, generation], maker.TASK_WORDS[mode, generation]
    tasks = rng.randint((blocks - 1) * per_block + 1, blocks * per_block)
    words = {}
    for block in range(blocks):
        for _ in range(rng.choice([0, 1, 2, 5])):
            task = rng.randrange(min(per_block, tasks - block * per_block))
            words.setdefault((block, task), {})[rng.randrange(task_words)] = rng.choice([0, 1, 7, 2 ** 32 - 1, rng.randrange(10 ** 6)])
    info = [b for b in range(blocks) if rng.random() < .97] or [0]
    rng.shuffle(info)
    text = rng.choice([" ", ",", ";\n"]).join(rng.choice(["%d", "0x%x", "0X%X"]) % i for i in info) + rng.choice(["", "\n", "\0"])
    dispatch = (0, rng.choice([0, 5, 2 ** 64 - 1]), dict(tasks=tasks, words=words))
    pipeline = maker.pipe(rng.randint(0, 3), "one_graph.seg0.spv", random_database(rng, blocks), info, [(0, [dispatch])],
                          name=rng.choice([None, "n", "é"]), info_style=rng.choice(["bin", "bin_raw", "txt"]), info_text=text)
    name = rng.choice(["Mali-G%d", "Mali-G%d-X", "Mali-G%d y"]) % generation
    return dict(mode=mode, devices=[maker.device(0, name)], warnings=rng.choice([[], ["note"]]), pipelines=[pipeline])


def damaged(rng, path, data):
    """Content with one change: another JSON value, another byte, or a shorter file."""
    places = list(re.finditer(rb'(?<=: )("[^"]*"|[0-9]+|true|false|null)', data)) if path.suffix == ".json" else []
    if places and rng.random() < .8:
        place = rng.choice(places)
        return data[:place.start()] + rng.choice(VALUES).encode() + data[place.end():]
    at = rng.randrange(len(data) + 1)
    if at == len(data) or rng.random() < .3:
        return data[:at]
    byte = rng.choice(b'\t\n;-:{}[]"\\ 0a\x00\xff\r') if b"\n" in data else data[at] ^ 1 << rng.randrange(8)
    return data[:at] + bytes([byte]) + data[at + 1:]


def damage(rng, root):
    files = sorted(p for p in root.rglob("*") if p.is_file())
    path = rng.choice(files)
    data = damaged(rng, path, path.read_bytes())
    path.write_bytes(data)
    if path.suffix == ".json" or rng.random() < .2:
        return
    for document in files:  # keep the declared size honest
        if document.name not in ("pipeline.json", "dispatch.json"):
            continue
        value = json.loads(document.read_text())
        for artifact in value["artifacts"]:
            if artifact["path"] == str(path.relative_to(root)):
                artifact["size"] = len(data)
        maker.dump(str(document), value)


@pytest.mark.parametrize("seed", range(int(os.environ.get("MLIA_CAPTURE_SEEDS", "80"))))
def test_random_capture(tmp_path, seed):
    rng = random.Random(seed)
    root = tmp_path / "capture"
    profile = tmp_path / "nt.toml"
    profile.write_text('profile_name = "nt"\ntarget_type = "neural-technology"\n')
    maker.write_capture(str(root), random_capture(rng))
    if rng.random() < .5:
        damage(rng, root)
    model = rng.choice([None, "one_graph.vgf"])
    done = check(profile, [root], model, "--json", "--no-output")
    try:
        expected = json.loads(json.dumps(reader.Analysis([str(root)], model).tables()))
    except reader.Refused as refused:
        assert kind_of(done) == refused.kind, (refused, done.stderr)
        return
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    expected["output_model"] = document["model"]  # the reader does not describe it
    compare(document, expected, str(root))
