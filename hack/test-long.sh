#!/usr/bin/env bash
# Runs the long tests, those that mostly wait beside those that compute: lanes, each with a cluster of its own or none. The output
# of each lane is in _output/long, or in _output/sample, and is printed when the lane ends.
#
# SAMPLE=1 runs a fixed part of each class of tests. Without it docs/soak.md is written when all have passed. SEED chooses kill
# points, faults, stories and mutants, FULL=1 tries all kill points, TESTFLAGS go to every go test, QUIET_FOR is the quiet time; RESULTS is a
# folder that the reports are copied to.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/lanes.sh

read -r -a flags <<<"${TESTFLAGS:-}"
seed=${SEED:-$(date +%s)}
if [[ ${seed} == 0 ]]; then
	echo "SEED=0 is the time, and repeats nothing; leave SEED out or choose another number." >&2
	exit 2
fi
echo "seed ${seed}: SEED=${seed} chooses the same kill points, faults, stories and mutants"

# What each lane does for make test-long, and for make test-sample.
name=long stories=long budget=25m fuzzTime=30s
quiet=(-quiet-for="${QUIET_FOR:-10m}")
leases=(-live)
mutants=()
stories_raced=40
if [[ -n ${SAMPLE:-} ]]; then
	name=sample stories=sample budget=10m fuzzTime=8s
	quiet=(-quiet-for=1m -deployments=20 -others=2000)
	leases=(-live -scaled)
	mutants=(-sample=3 -seed="${seed}")
	stories_raced=10
fi
logs=_output/${name}
reports=${logs}/reports
rm -rf "${logs}"
mkdir -p "${reports}"
command="make test-long SEED=${seed}${FULL:+ FULL=1}"
if [[ ${name} == long ]]; then
	go run ./hack/soak -facts "${logs}/facts.json" -command "${command}"
fi

# gotest NAME … is go test, which reports to NAME.json. A caller sets nice to lower its priority.
nice=()
gotest() {
	local report=$1
	shift
	"${nice[@]}" go run gotest.tools/gotestsum@v1.13.0 --format=standard-verbose --jsonfile="${reports}/${report}.json" -- -vet=off "$@"
}

# killed kills the manager before and after its writes, and writes bad specs.
killed() {
	local limit=${budget} args=(-stories="${stories}" -seed="${seed}")
	if [[ -n ${FULL:-} ]]; then
		limit=60m
		args+=(-full)
	fi
	gotest killed -count=1 -timeout="${limit}" "${flags[@]}" -run="${killed}" ./test/faults/stories -args "${args[@]}"
}
killed='TestENG_D9_|TestENG_D10_|TestWhatIsWrongIsNoticed'

# faults has the API server and the registry fail.
faults() {
	gotest faults -count=1 -timeout="${budget}" "${flags[@]}" -skip="${killed}" ./test/faults/stories -args -stories="${stories}" -seed="${seed}"
}

# steady has a manager that has nothing to do.
steady() {
	gotest steady -count=1 -timeout=40m "${flags[@]}" -run=^TestNothingToDo$ ./test/steady -args "${quiet[@]}"
}

# leadership kills leaders, stops them and takes their lease away.
leadership() {
	gotest leadership -count=1 -timeout=40m "${flags[@]}" -run=^TestLeadership$ ./test/leadership -args "${leases[@]}"
}

# extension runs the tests for openshift-tests, each against a manager without the rule that it is about. It compiles most of the
# time, behind the lanes that have time limits.
extension() {
	local nice=(nice -n 5)
	gotest extension -count=1 -timeout=30m "${flags[@]}" -run=^TestCLU_P11_ ./test/extension -args "${mutants[@]}"
}

# raced runs some stories with the race detector, behind the lanes that have time limits. -cpu=1: see HAS_BUBBLES in the Makefile.
raced() {
	local nice=(nice)
	gotest raced -race -cpu=1 -count=1 -timeout=20m "${flags[@]}" ./test/scenarios -args -sample="${stories_raced}" -seed="${seed}"
}

# fuzztarget DIR TARGET fuzzes one target. It runs once more where the time said nothing of the target: when it was up before the
# fuzzer had run its corpus, and when Go's fuzzer took its end for a failure ("context deadline exceeded", and no input that it
# failed with). An input that fails is a failure.
fuzztarget() {
	local dir=$1 target=$2 log="${logs}/fuzz-$2.log" status=0
	fuzzonce "${dir}" "${target}" "${fuzzTime}" >"${log}" 2>&1 || status=$?
	cat "${log}"
	if ((status == 0)) && grep --quiet 'execs: [1-9]' "${log}"; then
		return
	fi
	if ((status)) && { grep --quiet 'Failing input written' "${log}" || ! grep --quiet --line-regexp ' *context deadline exceeded' "${log}"; }; then
		return 1
	fi
	echo "The time was up: ${target} once more, for a minute."
	fuzzonce "${dir}" "${target}" 1m
}

fuzzonce() {
	local dir=$1 target=$2 time=$3
	gotest "fuzz-${dir//\//-}-${target}" -fuzztime="${time}" -fuzzminimizetime=10x -parallel=1 "${flags[@]}" -run=NONE -fuzz="^${target}\$" "./${dir}" </dev/null
}

# fuzztargets runs some of them, each as FILE:TARGET, one after the other.
fuzztargets() {
	local each failed=0
	for each in "$@"; do
		fuzztarget "$(dirname "${each%%:*}")" "${each##*:}" || failed=1
	done
	return "${failed}"
}

# fuzz runs every fuzz target, with one worker, and behind the lanes that have time limits: the first by itself, as compiling what
# all of them are built from takes longer than fuzzing it, and then two at a time.
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

status=0
lanes "${logs}" killed faults steady leadership extension raced fuzz || status=$?
if [[ -n ${RESULTS:-} ]]; then
	for each in "${reports}"/*.json; do
		[[ ! -e ${each} ]] || cp "${each}" "${RESULTS}/${name}-${each##*/}"
	done
fi
if ((status)); then
	echo "Long tests that failed: ${failed_lanes[*]}. What they printed is in ${logs}; SEED=${seed} chooses the same again." >&2
	exit 1
fi
if [[ ${name} == sample ]]; then
	go run ./hack/soak -check -reports "${reports}"
elif [[ -n ${TESTFLAGS:-}${QUIET_FOR:-} ]]; then
	echo "docs/soak.md is not written, because TESTFLAGS or QUIET_FOR changed what ran."
else
	go run ./hack/soak -facts "${logs}/facts.json" -reports "${reports}"
fi
