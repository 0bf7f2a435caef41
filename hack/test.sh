#!/usr/bin/env bash
# Runs the suites of make test. Those that start clusters wait a third of their time. The suites that only compute run beside them at the
# lowest priority, so that they do not make a suite with time limits slower. test-unit uses all processors, and runs first.
#
# ALSO is a list of targets that run after the suites that start clusters. BESIDE is a list of targets that run after those, beside the suites
# that only compute and still run. The output of what runs in the background is printed at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=_output/computing.log
computing="test-bubbles test-seeds test-scenarios test-mirrors test-registries test-openshiftmanager test-real test-alerts test-bench"
mkdir -p _output

status=0
make --no-print-directory test-unit || status=$?

# -m gives what runs in the background a process group, so that all its processes end when this script is interrupted.
set -m
# shellcheck disable=SC2086 # a list
nice -n 19 make --no-print-directory --keep-going ${computing} >"${log}" 2>&1 </dev/null &
background=$!
set +m
trap 'kill -TERM -- "-${background}" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM HUP
echo "These run in the background, with their output in ${log}: ${computing}"

# shellcheck disable=SC2086 # a list
make --no-print-directory --keep-going test-integration test-clusters ${ALSO:-} || status=$?
if [[ -n ${BESIDE:-} ]]; then
	# shellcheck disable=SC2086 # a list
	make --no-print-directory --keep-going ${BESIDE} || status=$?
fi
echo "Waiting for what runs in the background."
wait "${background}" || status=$?
cat "${log}"
((status == 0)) || exit "${status}"
make --no-print-directory test-rbac
