#!/bin/sh
# Runs every fuzz target for SECONDS each (default 60) from the seeds in tests/data; a finding fails and is kept in
# build-fuzz/findings/.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
mkdir -p build-fuzz/findings
count=0
for program in build-fuzz/*_fuzz; do
    [ -x "$program" ] || continue
    name=$(basename "$program" _fuzz)
    seeds="build-fuzz/corpus/$name"
    mkdir -p "$seeds"
    if [ -f "tests/fuzz/seeds.txt" ]; then
        awk -v name="$name" '$1 == name {print $2}' tests/fuzz/seeds.txt | while read -r folder; do
            find "$folder" -type f -size -64k -exec cp -n {} "$seeds/" \;
        done
    fi
    echo "fuzzing $name for $seconds s"
    "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
        -artifact_prefix=build-fuzz/findings/ "$seeds"
    count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "no fuzz target was built" >&2; exit 1; }
echo "$count fuzz targets clean"
