#!/usr/bin/env bash
# Runs the test suites of make test. Those that start clusters wait a third of their time. The suites that only compute run beside them at
# the lowest priority, so that they do not make a suite with time limits slower. Their output is printed when all of them have ended.
#
# ALSO is a list of targets that run after the suites that start clusters.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=_output/computing.log
mkdir -p _output

# -m gives the background suites a process group, so that all their processes are ended when this script is interrupted.
set -m
nice -n 19 make --no-print-directory test-bubbles test-seeds test-scenarios test-registries test-real test-alerts test-bench \
	>"${log}" 2>&1 </dev/null &
computing=$!
set +m
trap 'kill -TERM -- "-${computing}" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM HUP
echo "test-bubbles test-seeds test-scenarios test-registries test-real test-alerts test-bench run in the background, with their output in ${log}"

status=0
# shellcheck disable=SC2086 # ALSO is a list
make --no-print-directory --keep-going test-unit test-integration test-clusters ${ALSO:-} || status=$?
((status == 0)) || echo "make test failed; the suites that run in the background are finishing" >&2
wait "${computing}" || status=$?
cat "${log}"
((status == 0)) || exit "${status}"
make --no-print-directory test-rbac
