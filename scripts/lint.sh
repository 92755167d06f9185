#!/bin/sh
# Formatting (clang-format), static analysis (clang-tidy) and the house rules that a tool can check.
#   scripts/lint.sh            report, exit 1 on any finding
#   scripts/lint.sh --format   rewrite the files in place
set -eu
cd "$(dirname "$0")/.."

files=$(git ls-files 'src/*.c' 'src/*.h' 'include/*.h' 'tests/*.c' 'tests/*.h' 'bench/*.c')
if [ "${1:-}" = --format ]; then
    # shellcheck disable=SC2086
    exec .venv/bin/clang-format -i $files
fi

status=0
# shellcheck disable=SC2086
.venv/bin/clang-format --dry-run -Werror $files || status=1

long=$(wc -l $files | awk '$2 != "total" && $1 > 600 {print $2 ": " $1 " lines (at most 600)"}')
[ -z "$long" ] || { echo "$long" >&2; status=1; }

# Every kind that the sources raise is in the table; none of the table is dead.
scripts/check_kinds.py || status=1

# Only the findings are shown: the analyser's paths to them are long.
# shellcheck disable=SC2046
if ! printf '%s\n' $(git ls-files 'src/*.c') |
    xargs -P "$(nproc)" -n 4 clang-tidy -p build-clang --quiet >build-clang/tidy.log 2>/dev/null; then
    grep -E ': (error|warning):' build-clang/tidy.log | sort -u >&2
    status=1
fi
exit $status
