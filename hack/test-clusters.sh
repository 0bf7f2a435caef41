#!/usr/bin/env bash
# Runs the suites that start clusters and mostly wait, two at a time. The output of each is in _output/clusters, and is printed
# when the suite ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/lanes.sh

logs=_output/clusters
rm -rf "${logs}"
mkdir -p "${logs}"

# STEPS= because both lanes are recorded as one step.
extension() { make --no-print-directory STEPS= test-extension; }
others() { make --no-print-directory STEPS= test-localcluster test-faults e2e; }

if ! lanes "${logs}" extension others; then
	echo "Suites that failed: ${failed_lanes[*]}. The output is in ${logs}." >&2
	exit 1
fi
