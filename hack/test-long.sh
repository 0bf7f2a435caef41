#!/usr/bin/env bash
# Runs the long tests in parallel lanes: tests that mostly wait beside tests that compute. Each lane has its own cluster or
# none. The output of each lane is in _output/long or _output/sample, and is printed when the lane ends.
#
# SAMPLE=1 runs a sample of each class of tests that make test does not run. Without it, docs/soak.md and docs/soak-tried.txt are written if
# all tests pass. SEED chooses kill points, stories, perturbations and generated stories, and in a sample also faults and mutants. FULL=1
# tries all kill points and all perturbations of the recorded stories. TESTFLAGS are flags for every go test. QUIET_FOR is the duration of
# the idle test. RESULTS is a folder to which the reports are copied.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/lanes.sh

read -r -a flags <<<"${TESTFLAGS:-}"
seed=${SEED:-$(date +%s)}
if [[ ${seed} == 0 ]]; then
	echo "SEED=0 means the current time, which cannot be repeated; omit SEED or choose another number." >&2
	exit 2
fi

# The options of the lanes for make test-long, and then for make test-sample.
name=long stories=long budget=25m
all=(killed faults steady leadership extension raced mutants perturbed topologies byrounds fuzz)
quiet=(-quiet-for="${QUIET_FOR:-10m}")
leases=(-live)
extension_mutants=()
stories_raced=40 perturbations=1000 generated=200 story_mutants=TestOM_1[79]_ invariants_sample=0
if [[ -n ${SAMPLE:-} ]]; then
	name=sample stories=sample budget=10m
	# make test-scenarios has a sample of the perturbed and generated stories. make test-seeds runs the fuzz targets, without fuzzing.
	# The story quiet-day has a day without a write, at virtual time.
	all=(killed faults leadership extension raced mutants)
	leases=(-live -scaled)
	extension_mutants=(-sample=3 -seed="${seed}")
	stories_raced=2 story_mutants=TestOM_19_ invariants_sample=5
fi
echo "seed ${seed}: SEED=${seed} chooses the same kill points, faults, stories and mutants again"
logs=_output/${name}
reports=${logs}/reports
tried=${PWD}/${logs}/tried.txt # which perturbations and fields the stories have tried
rm -rf "${logs}"
mkdir -p "${reports}"
command="make test-long SEED=${seed}${FULL:+ FULL=1}"
if [[ ${name} == long ]]; then
	go run ./hack/soak -facts "${logs}/facts.json" -command "${command}"
fi

# gotest NAME … runs go test with the report NAME.json. A caller sets nice to lower the priority.
nice=()
gotest() {
	local report=$1
	shift
	"${nice[@]}" go run gotest.tools/gotestsum@v1.13.0 --format=standard-verbose --jsonfile="${reports}/${report}.json" -- -vet=off "$@"
}

# killed kills the manager before and after its writes, and sets invalid specs.
killed() {
	local limit=${budget} args=(-stories="${stories}" -seed="${seed}")
	if [[ -n ${FULL:-} ]]; then
		limit=60m
		args+=(-full)
	fi
	gotest killed -count=1 -timeout="${limit}" "${flags[@]}" -run="${killed}" ./test/faults/stories -args "${args[@]}"
}
killed='TestENG_D9_|TestENG_D10_|TestChecksFindViolations'
not_faults=${killed}${SAMPLE:+|TestARefusedWrite} # make test-faults has a refused write

# faults makes the API server and the registry fail.
faults() {
	local failed=0
	gotest faults -count=1 -timeout="${budget}" "${flags[@]}" -skip="${not_faults}" ./test/faults/stories -args -stories="${stories}" -seed="${seed}" || failed=1
	if [[ ${name} == long ]]; then
		gotest requests -count=1 -timeout="${budget}" "${flags[@]}" -run=WhateverRequestFails ./pkg/apply -args -every-fault || failed=1
	fi
	return "${failed}"
}

# steady tests an idle manager.
steady() {
	gotest steady -count=1 -timeout=40m "${flags[@]}" -run=^TestNothingToDo$ ./test/steady -args "${quiet[@]}"
}

# leadership kills and stops leaders, and makes them lose their lease.
leadership() {
	gotest leadership -count=1 -timeout=40m "${flags[@]}" -run=^TestLeadership$ ./test/leadership -args "${leases[@]}"
}

# extension runs each spec of openshift-tests against a manager without the rule that the spec tests. It mostly compiles, at a
# lower priority than the lanes with time limits.
extension() {
	local nice=(nice -n 5)
	gotest extension -count=1 -timeout=30m "${flags[@]}" -run=^TestCLU_P11_ ./test/extension -args "${extension_mutants[@]}"
}

# raced runs some scenarios with the race detector, at a lower priority than the lanes with time limits. -cpu=1: see HAS_BUBBLES
# in the Makefile.
raced() {
	local nice=(nice)
	gotest raced -race -cpu=1 -count=1 -timeout=60m "${flags[@]}" ./test/scenarios -args -sample="${stories_raced}" -seed="${seed}"
}

# mutants runs the mutants of the manager that stories detect.
mutants() {
	local nice=(nice)
	gotest invariants -count=1 -timeout=60m "${flags[@]}" -run="${story_mutants}" ./test/mutants -args -stories -sample="${invariants_sample}" -seed="${seed}"
}

# perturbed runs some perturbations of stories, generated stories, and all kill points of the story of ENG-D10.
perturbed() {
	local failed=0 limit=90m
	local nice=(nice)
	if [[ -n ${FULL:-} ]]; then
		limit=170m perturbations=100000 # more than there are
	fi
	gotest perturbed -count=1 -timeout="${limit}" "${flags[@]}" -run='TestOM_17_|TestENG_D10_' ./test/scenarios \
		-args -perturbations="${perturbations}" -fixed-stories=13 -kill-points=10000 -seed="${seed}" -tried="${tried}" || failed=1
	gotest generated -count=1 -timeout=90m "${flags[@]}" -run=TestOM_18_ ./test/scenarios -args -generated="${generated}" -seed="${seed}" -tried="${tried}" || failed=1
	return "${failed}"
}

# topologies runs all stories on a standalone cluster and on a hosted control plane.
topologies() {
	local nice=(nice)
	gotest topologies -count=1 -timeout=90m "${flags[@]}" -skip='TestOM_1[78]_|TestENG_D10_' ./test/scenarios -args -hosted=-1 -rounds=0 -seed="${seed}"
}

# byrounds runs all stories with the manager's process and by rounds of apply-configuration.
byrounds() {
	local nice=(nice)
	gotest byrounds -count=1 -timeout=90m "${flags[@]}" -skip='TestOM_1[78]_|TestENG_D10_' ./test/scenarios -args -rounds=10000 -seed="${seed}"
}

# fuzz runs every fuzz target for 30 seconds with one worker, at a lower priority than the lanes with time limits. It first runs the targets
# of one package, which compiles the common dependencies, and then those of two packages at a time.
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

# fuzzqueue runs the targets of the packages that it reads from file descriptor 3.
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

# fuzzpackage DIR runs the targets of one package with one test binary.
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

# fuzztarget DIR TARGET runs one target. It repeats it if the fuzzer tried no new input in time, or reported only its own
# time-out ("context deadline exceeded", without an input). A failing input is a failure.
fuzztarget() {
	local dir=$1 target=$2 log="${logs}/fuzz-${1//\//-}-$2.log" status=0
	fuzzonce "${dir}" "${target}" 30s >"${log}" 2>&1 || status=$?
	cat "${log}"
	if ((status == 0)) && grep --quiet 'execs: [1-9]' "${log}"; then
		return
	fi
	if ((status)) && { grep --quiet 'Failing input written' "${log}" || ! grep --quiet --line-regexp ' *context deadline exceeded' "${log}"; }; then
		return 1
	fi
	echo "${target} timed out; running it again for a minute."
	fuzzonce "${dir}" "${target}" 1m
}

# fuzzonce DIR TARGET TIME runs the target in the folder of the package, where the fuzzer reads and writes testdata/fuzz.
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
lanes "${logs}" "${all[@]}" || status=$?
if [[ -n ${RESULTS:-} ]]; then
	for each in "${reports}"/*.json; do
		[[ ! -e ${each} ]] || cp "${each}" "${RESULTS}/${name}-${each##*/}"
	done
fi
if ((status)); then
	echo "Long tests that failed: ${failed_lanes[*]}. The output is in ${logs}. To repeat the choice, set SEED=${seed}." \
		"For a perturbed or generated story, run the command that its test printed." >&2
	exit 1
fi
if [[ ${name} == sample ]]; then
	go run ./hack/soak -check -reports "${reports}"
elif [[ -n ${TESTFLAGS:-}${QUIET_FOR:-} ]]; then
	echo "docs/soak.md is not written, because TESTFLAGS or QUIET_FOR changed what ran."
else
	go run ./hack/soak -facts "${logs}/facts.json" -reports "${reports}" -tried "${tried}"
fi
