#!/usr/bin/env bash
# Installs what is missing of the Debian packages that a purpose needs:
#   scripts/install-deps.sh build test python bench rivals lint fuzz
# This is the one list of packages; the Makefile calls it before it builds.
set -eu

# Machine code is for one kind of processor; others do without.
native_packages() {
  [ "$(uname -m)" != x86_64 ] || echo libasmjit-dev
}

packages_for() {
  case $1 in
    build) echo g++ cmake ninja-build libeigen3-dev libsuitesparse-dev libsundials-dev libfmt-dev libcli11-dev \
                nlohmann-json3-dev $(native_packages) ;;
    test) echo libgtest-dev clang-format chromium chromium-driver python3-selenium $(packages_for python) ;;
    python) echo python3 python3-dev python3-venv python3-pip ;;
    bench) echo libbenchmark-dev $(packages_for python) ;;
    rivals) echo libsimbody-dev valgrind ;;
    deb) echo dpkg-dev ;;
    lint) echo clang-format clang-tidy-19 ;;
    fuzz) echo libclang-rt-19-dev ;;
    *) echo "install-deps: unknown purpose '$1' (known: build, test, python, bench, rivals, deb, lint, fuzz)" >&2; exit 2 ;;
  esac
}

wanted=
for purpose in "${@:-build}"; do
  wanted="$wanted $(packages_for "$purpose")"
done

if ! command -v dpkg-query >/dev/null; then
  echo "install-deps: this is not Debian or a relative; please see that these are installed:$wanted" >&2
  exit 0
fi

missing=
for package in $wanted; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null; then
  as_root=sudo
else
  echo "install-deps: these packages are missing, and there is neither root nor sudo to install them:" >&2
  echo "    apt-get install$missing" >&2
  exit 1
fi

echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # the lists are words
if ! { $as_root apt-get -qq update && $as_root apt-get -qq -y --no-install-recommends install $missing; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "install-deps: apt-get could not install$missing" >&2
  exit 1
fi
