#!/bin/sh
# Makes NAME.tosa, NAME.vgf, NAME.vgf.json and NAME.spvasm from NAME.tosa.mlir with the official tools (tests/requirements.txt).
# The files of container/ were written byte by byte to the rules of docs/formats/vgf.md, one deviation each; expected.tsv says which
# kind our reader gives, and what vgf_dump answers. patterns/ holds small graphs for one rule of simplification or segments
# each; the tests convert them with both converters.
# exec/NAME.npz holds inputs inK and what they give, refK: the outputs of tosa_reference_model for NAME.tosa, but for 18 (the
# literals of its text; the TOSA file has INT4 data of an odd length) and 20 (computed by hand: the shader is no TOSA).
set -e
cd "$(dirname "$0")"
convert() { # SOURCE NAME OPTIONS...
    source=$1 name=$2
    shift 2
    model-converter -i "$source" -o "$name.vgf" "$@"
}
for source in *.tosa.mlir; do
    name=${source%.tosa.mlir}
    options=
    case $name in
    19_* | 26_*) options=--emit-debug-info ;;
    21_*) options="--custom-op-domain-to-opcode com.example.accel:42" ;;
    esac
    model-converter --tosa-flatbuffer $options -i "$source" -o "$name.tosa"
    convert "$source" "$name" $options
    vgf_dump -i "$name.vgf" >"$name.vgf.json"
done
convert 18_constants.tosa.mlir 18_constants.noreplicate --disable-replicated-composites
convert 19_debug_locations.tosa 19_debug_locations.fb --emit-debug-info
for mode in full partial full_preserve_io; do
    convert 24_type_narrowing.tosa.mlir "24_type_narrowing.$mode" --type-narrowing $mode
done
disassemble() { # VGF MODULE OUTPUT
    vgf_dump -i "$1" --dump-spirv "$2" -o module.spv
    spirv-dis --no-color module.spv >"$3"
    rm module.spv
}
for file in *.vgf; do
    name=${file%.vgf}
    case $name in
    20_*) disassemble "$file" 0 "$name.0.spvasm"; disassemble "$file" 2 "$name.2.spvasm" ;;
    21_*) ;; # spirv-dis refuses its import
    *) disassemble "$file" 0 "$name.spvasm" ;;
    esac
done
