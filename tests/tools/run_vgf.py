#!/usr/bin/env python3
"""Runs a VGF file on the processor: scenario runner, emulation layer, and Mesa's software driver lavapipe.

    run_vgf.py MODEL.vgf FOLDER INPUT.npy...      one array for each input, in model order; writes FOLDER/outputK.npy
"""
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy

DRIVERS = Path("/usr/share/vulkan/icd.d")
LAYERS = ("VkLayer_Graph", "VkLayer_Tensor")  # from the application down


def missing():
    """What is not installed, or None when models can run."""
    for module, package in (("emulation_layer", "ai-ml-emulation-layer-for-vulkan"), ("scenario_runner", "ai-ml-sdk-scenario-runner")):
        if not importlib.util.find_spec(module):
            return f"the Python package {package} is not installed"
    if not list(DRIVERS.glob("lvp_icd*.json")):
        return "the software driver lavapipe is not installed (mesa-vulkan-drivers)"
    return None


def environment(folder):
    deploy = Path(importlib.util.find_spec("emulation_layer").origin).parent / "deploy"
    # A loader before 1.3.275 orders layers as it finds their manifests, so each has a folder of its own.
    paths = []
    for layer in LAYERS:
        target = folder / "layers" / layer
        target.mkdir(parents=True, exist_ok=True)
        manifest = json.loads((deploy / f"share/vulkan/explicit_layer.d/{layer}.json").read_text())
        manifest["layer"]["library_path"] = str(deploy / f"lib/lib{layer}.so")
        (target / f"{layer}.json").write_text(json.dumps(manifest))
        paths.append(str(target))
    driver = str(sorted(DRIVERS.glob("lvp_icd*.json"))[0])
    return {**os.environ, "VK_LAYER_PATH": os.pathsep.join(paths), "LD_LIBRARY_PATH": str(deploy / "lib"),
            "VK_INSTANCE_LAYERS": "VK_LAYER_ML_Graph_Emulation:VK_LAYER_ML_Tensor_Emulation",
            "VK_DRIVER_FILES": driver, "VK_ICD_FILENAMES": driver}  # the second name is that of loaders before 1.3.207


def slots(file):
    """Inputs and outputs of the model: binding and resource of each."""
    view = json.loads(subprocess.run(["vgf_dump", "-i", file], capture_output=True, text=True, check=True).stdout)
    return [[(slot["binding"], view["resources"][slot["mrt_index"]]) for slot in view["model_sequence"][side]]
            for side in ("inputs", "outputs")]


def run(file, inputs, folder):
    """Outputs of the model, in order, for input arrays stored as .npy files."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    sides = slots(file)
    if len(inputs) != len(sides[0]):
        raise ValueError(f"{file} has {len(sides[0])} inputs, given are {len(inputs)}")
    outputs = [folder / f"output{k}.npy" for k in range(len(sides[1]))]
    resources, bindings = [{"graph": {"uid": "model", "src": str(Path(file).resolve())}}], []
    for side, files, access, key in zip(sides, (inputs, outputs), ("readonly", "writeonly"), ("src", "dst")):
        for (binding, resource), path in zip(side, files):
            uid = f"{key}{len(bindings)}"
            resources.append({"tensor": {"uid": uid, "dims": resource["shape"], "format": resource["vk_format"],
                                         "shader_access": access, key: str(Path(path).resolve())}})
            bindings.append({"resource_ref": uid, "id": binding, "set": 0})
    command = {"dispatch_vgf": {"graph_ref": "model", "shader_substitutions": [], "bindings": bindings}}
    (folder / "scenario.json").write_text(json.dumps({"resources": resources, "commands": [command]}, indent=1))
    done = subprocess.run(["scenario_runner", "--scenario", folder / "scenario.json", "--output", folder],
                          capture_output=True, text=True, env=environment(folder))
    if done.returncode:
        raise RuntimeError(f"{file}: the scenario runner ends with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return [numpy.load(output) for output in outputs]


if __name__ == "__main__":
    for array in run(sys.argv[1], sys.argv[3:], sys.argv[2]):
        print(array.shape, array.dtype)
