#!/usr/bin/env bash
# Makes the virtual environment build/venv in which the Python package is built and tested:
#   scripts/python-env.sh [FOLDER]
# What the package needs must install; what only some tests use is tried.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/venv}
needed="nanobind scikit-build-core numpy pytest"
useful="scipy pandas matplotlib tqdm dask distributed fmpy xarray joblib mypy==2.4.1"

stamp=$folder/installed
[ "$(cat "$stamp" 2>/dev/null || true)" != "$needed $useful" ] || exit 0

echo "Making the Python environment $folder"
python3 -m venv "$folder"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # the lists are words
if ! "$folder/bin/pip" install --quiet --disable-pip-version-check $needed >"$log" 2>&1; then
  cat "$log" >&2
  echo "python-env: pip could not install $needed; 'make test PYTHON=no' does without the Python package" >&2
  exit 1
fi
for package in $useful; do
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$package" >"$log" 2>&1 ||
    echo "python-env: $package could not be installed; what uses it is not tested" >&2
done
echo "$needed $useful" >"$stamp"
