#!/usr/bin/env bash
# Runs the suites that have clusters of their own and mostly wait, two at a time. What each prints is in _output/clusters, and is
# printed when it ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/lanes.sh

logs=_output/clusters
rm -rf "${logs}"
mkdir -p "${logs}"

# STEPS= because the time of both lanes is recorded as one step.
extension() { make --no-print-directory STEPS= test-extension; }
others() { make --no-print-directory STEPS= test-localcluster test-faults e2e; }

if ! lanes "${logs}" extension others; then
	echo "Suites that failed: ${failed_lanes[*]}. What they printed is in ${logs}." >&2
	exit 1
fi
