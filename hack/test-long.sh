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
	name=sample stories=sample budget=10m fuzzTime=1000x # executions
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

# fuzz runs every fuzz target, with one worker, and behind the lanes that have time limits: those of the first package alone, as compiling
# what all of them are built from takes longer than fuzzing, and then those of two packages at a time.
fuzz() {
	local first failed=0
	local nice=(nice)
	# test/localcluster is a module of its own, which make test-localcluster tests.
	exec 3< <(grep --recursive --files-with-matches --include='*_test.go' '^func Fuzz' cmd pkg test | grep --invert-match '^test/localcluster/' |
		xargs dirname | sort --unique)
	read -r first <&3
	fuzzpackage "${first}" || failed=1
	fuzzqueue &
	fuzzqueue || failed=1
	wait $! || failed=1
	return "${failed}"
}

# fuzzqueue runs the targets of the packages that are left on file descriptor 3.
fuzzqueue() {
	local dir failed=0
	while nextpackage; do
		fuzzpackage "${dir}" || failed=1
	done
	return "${failed}"
}

# nextpackage sets dir to the next line of file descriptor 3. It is locked because bash reads a pipe byte by byte: two readers at a time
# would each get some of the letters of a line.
nextpackage() {
	{ flock 4 && read -r dir <&3; } 4>"${logs}/fuzz.lock"
}

# fuzzpackage DIR runs the targets of one package, from one test binary.
fuzzpackage() {
	local dir=$1 binary target failed=0
	binary="${logs}/fuzz-${dir//\//-}.test"
	"${nice[@]}" go test -c -vet=off -fuzz=. "${flags[@]}" -o "${binary}" "./${dir}" || return 1
	for target in $(grep --no-filename --only-matching --perl-regexp '^func \KFuzz\w+' "${dir}"/*_test.go); do
		fuzztarget "${dir}" "${target}" || failed=1
	done
	rm -f "${binary}"
	return "${failed}"
}

# fuzztarget DIR TARGET runs one target. It runs once more if the time was up before the fuzzer had tried a new input, or if the fuzzer
# reported its own end as a failure ("context deadline exceeded", without an input). An input that fails is a failure.
fuzztarget() {
	local dir=$1 target=$2 log="${logs}/fuzz-${1//\//-}-$2.log" status=0
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

# fuzzonce DIR TARGET TIME works in the folder of the package, as the fuzzer reads and writes testdata/fuzz there.
fuzzonce() {
	local dir=$1 target=$2 time=$3 name=${1//\//-} root=${PWD} package cache
	package=$(go list "./${dir}")
	cache=$(go env GOCACHE)
	(cd "${dir}" && "${nice[@]}" go run gotest.tools/gotestsum@v1.13.0 --format=standard-verbose --jsonfile="${root}/${reports}/fuzz-${name}-${target}.json" \
		--raw-command -- go tool test2json -t -p "${package}" "${root}/${logs}/fuzz-${name}.test" -test.v=test2json -test.run=NONE \
		-test.fuzz="^${target}\$" -test.fuzztime="${time}" -test.fuzzminimizetime=10x -test.parallel=1 \
		-test.fuzzcachedir="${cache}/fuzz/${package}" </dev/null)
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
