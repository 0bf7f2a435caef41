#!/usr/bin/env bash
# Runs the long tests, those that mostly wait beside those that compute: lanes, each with its own cluster or none. What
# a lane says is in _output/long, and is printed when it ends. TESTFLAGS go to every go test, SEED and FULL to the kill points;
# RESULTS is a folder for what each test came to, as JSON.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

logs=_output/long
rm -rf "${logs}"
mkdir -p "${logs}"
read -r -a flags <<<"${TESTFLAGS:-}"

# gotest NAME … is go test, which keeps what each test came to as NAME.json; who calls it may be nice to the others.
nice=()
gotest() {
	local name=$1
	shift
	if [[ -n "${RESULTS:-}" ]]; then
		"${nice[@]}" go run gotest.tools/gotestsum@v1.13.0 --format=standard-verbose --jsonfile="${RESULTS}/${name}.json" -- "$@"
	else
		"${nice[@]}" go test -v "$@"
	fi
}

# What fails while everything is made to fail: kill points, the API server in trouble, bad specs.
faults() {
	local timeout=25m stories=(-stories=long "-seed=${SEED:-0}")
	if [[ -n "${FULL:-}" ]]; then
		timeout=60m
		stories+=(-full)
	fi
	gotest test-long-faults -count=1 -timeout="${timeout}" "${flags[@]}" ./test/faults/stories -args "${stories[@]}"
}

# What a manager does that has nothing to do, for ten minutes.
steady() {
	gotest test-long-steady -count=1 -timeout=40m "${flags[@]}" -run=TestENG_D16_ ./test/steady -args -quiet-for="${QUIET_FOR:-10m}"
}

# Who leads when a leader is killed, stops or loses its lease, and what an API server that is away or refuses comes to, with the
# payload's leases.
leadership() {
	gotest test-long-leadership -count=1 -timeout=40m "${flags[@]}" -run=TestLeadership ./test/leadership -args -live
}

# The tests for openshift-tests, each against a manager without the rule that it is about. It compiles most of the time, behind the
# lanes that have time limits.
extension() {
	local nice=(nice -n 5)
	gotest test-long-extension -count=1 -timeout=30m "${flags[@]}" -run=^TestCLU_P11_ ./test/extension
}

# fuzztarget is one fuzz target for half a minute. Go's fuzzer fails now and then for no other reason than that the time is up
# ("context deadline exceeded", and no input that it failed with): then it is run once more. An input that fails is a failure.
fuzztarget() {
	local dir=$1 target=$2 said="${logs}/fuzz-$2.log"
	local run=(gotest "test-long-fuzz-${dir//\//-}-${target}" -fuzztime=30s -fuzzminimizetime=10x -parallel=1 "${flags[@]}" -run=NONE -fuzz="^${target}\$" "./${dir}")
	if "${run[@]}" </dev/null >"${said}" 2>&1; then
		cat "${said}"
		return
	fi
	cat "${said}"
	if grep --quiet 'Failing input written' "${said}" || ! grep --quiet --line-regexp ' *context deadline exceeded' "${said}"; then
		return 1
	fi
	echo "The time was up, and no input failed: ${target} once more."
	"${run[@]}" </dev/null
}

# fuzztargets are some of them, each as FILE:TARGET, one after the other.
fuzztargets() {
	local each failed=0
	for each in "$@"; do
		fuzztarget "$(dirname "${each%%:*}")" "${each##*:}" || failed=1
	done
	return "${failed}"
}

# Every fuzz target, with one worker, and behind the lanes that have time limits: the first by itself, as compiling what all of them
# are built from takes longer than fuzzing it, and then two at a time.
fuzz() {
	local targets i failed=0 odd=() even=()
	local nice=(nice)
	mapfile -t targets < <(grep --recursive --include='*_test.go' --only-matching --perl-regexp '^func \KFuzz\w+' cmd pkg test |
		grep --invert-match '^test/localcluster/') # a module of its own, which make test-localcluster tests
	for ((i = 1; i < ${#targets[@]}; i++)); do
		if ((i % 2)); then odd+=("${targets[i]}"); else even+=("${targets[i]}"); fi
	done
	fuzztargets "${targets[0]}" || failed=1
	fuzztargets "${odd[@]}" &
	fuzztargets "${even[@]}" || failed=1
	wait $! || failed=1
	return "${failed}"
}

lanes=(faults steady leadership extension fuzz)
declare -A pids
for lane in "${lanes[@]}"; do
	"${lane}" >"${logs}/${lane}.log" 2>&1 &
	pids["${lane}"]=$!
done
failed=()
for lane in "${lanes[@]}"; do
	if wait "${pids[${lane}]}"; then
		cat "${logs}/${lane}.log"
	else
		failed+=("${lane}")
	fi
done
if ((${#failed[@]})); then
	for lane in "${failed[@]}"; do # at the end, where one looks first
		cat "${logs}/${lane}.log"
	done
	echo "Long tests that failed: ${failed[*]}. What they said is in ${logs}." >&2
	exit 1
fi
