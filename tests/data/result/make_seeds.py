#!/usr/bin/env python3
"""Makes seeds/: small documents for the fuzz targets, one for each projection case. Findings are kept beside them."""
import json
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    envelope = json.loads((HERE / "documents/failed-run.json").read_text())
    envelope.pop("extensions", None)
    (HERE / "seeds").mkdir(exist_ok=True)
    for path in sorted((HERE / "projection").glob("[0-9]*.json")):
        case = json.loads(path.read_text())
        document = {**envelope, "results": [case["input"]]}
        (HERE / "seeds" / path.name).write_text(json.dumps(document, separators=(",", ":")))


if __name__ == "__main__":
    main()
