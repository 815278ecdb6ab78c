#!/usr/bin/env bash
# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   ./quickstart.sh        installs what is missing, builds, compiles and simulates
#                          OLMoE with every preset, prints a table
#   ./quickstart.sh test   the same set-up, then every test
#
# For Debian 12, as root or with sudo. Elsewhere, install LLVM and MLIR 22 and the
# libraries that README.md names; what is there already is not installed again.
# MOZART_JOBS limits how many compilers run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly packages=(
  cmake ninja-build g++ ccache git
  llvm-22-dev libmlir-22-dev mlir-22-tools clang-22 lld-22 libclang-rt-22-dev
  clang-format-22
  libabsl-dev libprotobuf-dev protobuf-compiler nlohmann-json3-dev libgtest-dev libgmock-dev
  zlib1g-dev libzstd-dev
  python3 python3-numpy python3-pytest python3-psutil
)
readonly model=olmoe-1b-7b machine=mozart-olmoe
readonly presets=(baseline overlap dedup layout)
readonly build=build/release reports=build/reports

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'quickstart.sh: %s\n' "$*" >&2; exit 1; }

# ---- Set-up ---------------------------------------------------------------------

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo > /dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    fail "needs root or sudo to install packages: ${missing[*]}"
  fi
}

apt_get() {
  as_root apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=600 "$@"
}

find_missing() {
  missing=()
  local package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null) == installed ]] ||
      missing+=("$package")
  done
}

# LLVM 22 is in Debian 12's security suite. Where only the main suite is known, the
# same server is asked for it.
enable_security_suite() {
  [[ -z $(apt-cache madison llvm-22-dev) ]] || return 0
  local site
  # shellcheck disable=SC2016  # apt-get expands these.
  site=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
    awk '$2 == "bookworm" && !found { sub("/$", "", $1); print $1; found = 1 }')
  [[ -n $site ]] ||
    fail "found no package source of Debian 12 (bookworm) to take LLVM 22 from"
  say "Adding the suite bookworm-security, which has LLVM 22"
  echo "deb $site-security bookworm-security main" |
    as_root tee /etc/apt/sources.list.d/bookworm-security.list > /dev/null
  apt_get update
  [[ -n $(apt-cache madison llvm-22-dev) ]] ||
    fail "$site-security has no llvm-22-dev; install LLVM and MLIR 22 by hand"
}

install_packages() {
  command -v dpkg-query > /dev/null || {
    command -v llvm-config-22 > /dev/null ||
      fail "this is not Debian; install LLVM and MLIR 22 by hand (see README.md)"
    return 0
  }
  find_missing
  ((${#missing[@]})) || return 0
  say "Installing ${missing[*]}"
  apt_get update
  enable_security_suite
  apt_get install -y --no-install-recommends "${missing[@]}"
}

# As many compilers as there are cores, with 1 GB for each.
job_count() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}

configure() {
  local cache=$build/CMakeCache.txt fresh=()
  # A build directory that was made elsewhere is of no use here.
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
    fresh=(--fresh)
  fi
  say "Configuring $build"
  cmake --preset release "${fresh[@]}" --log-level=WARNING \
    -DPython3_EXECUTABLE=/usr/bin/python3
}

build_targets() {
  say "Building $build with $jobs jobs"
  cmake --build --preset release --parallel "$jobs" --target "$@"
}

# ---- What to do -----------------------------------------------------------------

simulate_presets() {
  local preset
  mkdir -p "$reports"
  files=()
  for preset in "${presets[@]}"; do
    say "$model on $machine, preset $preset"
    "$build/bin/mozart-opt" "share/mozart/models/$model.mlir" \
      --mozart-compile="machine=$machine preset=$preset" -o "$reports/$model.$preset.mlir"
    "$build/bin/mozart-translate" --simulate "$reports/$model.$preset.mlir" \
      -o "$reports/$model.$preset.json"
    files+=("$reports/$model.$preset.json")
  done
}

run_default() {
  local files
  build_targets mozart-opt mozart-translate mozart-place
  simulate_presets
  say "Results"
  /usr/bin/python3 tools/report_table.py --to-come=best "${files[@]}"
}

run_tests() {
  build_targets all
  say "Testing"
  ctest --preset release --parallel "$jobs"
}

main() {
  # No terminal, no home directory and no locale are needed.
  export LC_ALL=C.UTF-8
  export HOME=${HOME:-/nonexistent}
  [[ -d $HOME ]] || export CCACHE_DIR=${CCACHE_DIR:-$PWD/build/ccache}
  local mode=${1:-run} missing=() jobs
  [[ $# -le 1 && ($mode == run || $mode == test) ]] ||
    fail "unknown arguments '$*'; expected none, or 'test'"
  jobs=${MOZART_JOBS:-$(job_count)}
  install_packages
  configure
  if [[ $mode == test ]]; then run_tests; else run_default; fi
}

main "$@"
