#!/bin/sh
# Installs what a step needs on Debian 12 / Ubuntu 24.04 and does nothing when it is there already.
#   scripts/setup.sh build    compiler, CMake, libraries
#   scripts/setup.sh test     the same, cmocka, a software Vulkan driver, and in .venv the judges of tests/requirements.txt
#   scripts/setup.sh lint     clang-tidy; clang-format comes with the Python environment
#   scripts/setup.sh asan     clang with its sanitizer and fuzzer runtimes
set -eu
cd "$(dirname "$0")/.."

build="gcc libc6-dev make cmake ninja-build pkg-config libjansson-dev libinih-dev nettle-dev"
test="$build libcmocka-dev python3 python3-venv libvulkan1 mesa-vulkan-drivers"
asan="$test clang libclang-rt-dev"
lint="$test clang clang-tidy"

install_missing() {
    missing=""
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    echo "installing:$missing"
    sudo=""
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "these packages are missing, and this is neither root nor is there sudo:$missing" >&2; exit 1; }
        sudo=sudo
    fi
    $sudo apt-get -qq update
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $sudo apt-get -qq install -y --no-install-recommends $missing >/dev/null
}

python_environment() {
    wanted=$(sha256sum tests/requirements.txt | cut -c 1-64)
    [ -f .venv/.requirements ] && [ "$(cat .venv/.requirements)" = "$wanted" ] && return 0
    echo "making the Python environment .venv"
    rm -rf .venv
    python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
    echo "$wanted" > .venv/.requirements
}

case "${1:-build}" in
build) install_missing $build ;;
test) install_missing $test && python_environment ;;
lint) install_missing $lint && python_environment ;;
asan) install_missing $asan && python_environment ;;
*) echo "usage: scripts/setup.sh build|test|lint|asan" >&2; exit 2 ;;
esac
