# Sourced by the scripts of this folder: fails on errors, enters the root of the project, creates
# `target/package` and the Python environment with the tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=target/package
tools=$out/tools
mkdir -p "$out"
# paths in messages of a panic do not depend on the machine that builds
export RUSTFLAGS="--remap-path-prefix=$PWD=merrow --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

# The Python programs in requirements.txt, installed again when the list changes.
python_tools() {
  local list=tools/package/requirements.txt
  cmp -s "$list" "$tools/requirements.txt" && return
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check -r "$list"
  cp "$list" "$tools/requirements.txt"
}
