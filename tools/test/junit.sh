#!/bin/bash
# Runs a test: //tools/test:junit is the --run_under of all.
# Lets Boost.Test write Bazel's test.xml itself, one entry a case; other tests just run.
export BOOST_TEST_LOGGER="HRF,test_suite,stdout:JUNIT,error,$XML_OUTPUT_FILE" BOOST_TEST_COLOR_OUTPUT=0
# For tools/cov/coverage.sh: a profile for each test and program (%m); the process number is the same in every sandbox.
[ -z "${PROFILE_FOLDER:-}" ] || export LLVM_PROFILE_FILE="$PROFILE_FOLDER/${TEST_TARGET//[^A-Za-z0-9]/_}-%m.profraw"
exec "$@"
