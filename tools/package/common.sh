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

# Writes the licence texts of the dependencies to $out/licences.txt, again when these change.
licences() {
  local list=$out/licences.txt source
  for source in Cargo.lock deny.toml tools/package/licences; do
    [ "$list" -nt "$source" ] || { tools/package/licences "$list"; break; }
  done
}

# Writes the bill of materials that the wheel has to $out/merrow.cyclonedx.json.
bill_of_materials() {
  compgen -G "$out/merrow-*.whl" >/dev/null || tools/package/wheel
  python3 -c 'import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
name, = [n for n in wheel.namelist() if n.endswith("/sboms/merrow.cyclonedx.json")]
open(sys.argv[2], "wb").write(wheel.read(name))' "$out"/merrow-*.whl "$out/merrow.cyclonedx.json"
}
