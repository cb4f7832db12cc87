#!/bin/bash
# Runs a Python module with the system's Python, from the root of the project: python_test.sh MODULE [ARGS]
# (py_test needs a program named `python`, which Debian does not have.)
export PYTHONDONTWRITEBYTECODE=1
exec python3 -m "$@"
