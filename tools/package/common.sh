# Sourced by the scripts of this folder: fails on errors, enters the root of the project, creates
# `target/package` and the Python environment with the tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=target/package
tools=$out/tools
mkdir -p "$out"
# paths in messages of a panic do not depend on the machine that builds
cargo_home=${CARGO_HOME:-${HOME:-/root}/.cargo}
# separated by the character 1f, because the path may contain spaces
export CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$PWD=merrow"$'\x1f'"--remap-path-prefix=$cargo_home=cargo"
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

# Writes the licence texts of the dependencies to $out/licences.txt, again when these change.
licences() {
  local list=$out/licences.txt source
  for source in Cargo.lock deny.toml tools/package/licences; do
    [ "$list" -nt "$source" ] || { tools/package/licences "$list"; break; }
  done
}

# Writes the bill of materials that the wheel has to $out/merrow.cyclonedx.json.
bill_of_materials() {
  local wheel
  wheel=$(compgen -G "$out/merrow-$version-*.whl" | head -1 || true)
  if [ -z "$wheel" ] || [ Cargo.lock -nt "$wheel" ]; then
    tools/package/wheel
    wheel=$(compgen -G "$out/merrow-$version-*.whl" | head -1)
  fi
  python3 -c 'import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
name, = [n for n in wheel.namelist() if n.endswith("/sboms/merrow.cyclonedx.json")]
open(sys.argv[2], "wb").write(wheel.read(name))' "$wheel" "$out/merrow.cyclonedx.json"
}
