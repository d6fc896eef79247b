# Sourced by ./publish and tests/run: makes .venv with what they need, and sets $python to its interpreter.
# Works on a machine with Python 3.11 or newer; where a system package is missing and apt-get is there, it is installed.

python=.venv/bin/python

install_packages() { # names of Debian packages
    command -v apt-get >/dev/null || return 1
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || return 1
        root=(sudo)
    fi
    "${root[@]}" apt-get -qq update
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}

system_python() { # prints the first Python that is new enough
    local name
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    echo "There is no Python 3.11 or newer on the path; install one, or name it: PYTHON=/path/to/python3 bash $0" >&2
    return 1
}

environment() { # what pip installs: "." or ".[test]"
    local wanted base
    wanted="$1 $(cksum pyproject.toml)"
    if "$python" -c '' 2>/dev/null && [ "$(cat .venv/installed 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    base=$(system_python)
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        if ! "$base" -c 'import ensurepip, venv' 2>/dev/null; then
            echo "Installing Python's venv module …"
            install_packages "$("$base" -c 'import sys; print("python3.%d-venv" % sys.version_info.minor)')" || {
                echo "This Python cannot make virtual environments: install its venv package (python3-venv)." >&2
                return 1
            }
        fi
        "$base" -m venv --clear .venv
    fi
    echo "Installing Python packages into .venv …"
    "$python" -m pip install --quiet --disable-pip-version-check --editable "$1"
    echo "$wanted" >.venv/installed
}
