# `make` says what there is. Everything that is built goes to _output; nothing needs a step before it.
SHELL := /bin/bash
.SHELLFLAGS = -o pipefail -c
# STEPS names a file to which each recipe line appends its duration; hack/times prints it.
ifdef STEPS
SHELL := $(CURDIR)/hack/timed.sh
.SHELLFLAGS = target=$@ -o pipefail -c
export STEPS := $(abspath $(STEPS))
endif
.DEFAULT_GOAL := help
.NOTPARALLEL: # the targets share the machine's cores, and tests have time limits

# Versions are stamped by -ldflags below, so that git's state never makes a build fail or differ. -trimpath keeps the checkout's path
# out of what is compiled: what one checkout has compiled, all others find in the Go build cache.
# The tag is for the policy engine of pkg/signatures, which needs a C library otherwise. Target build has it on its line, too: the go command of
# OpenShift's builders adds a tag of its own, and would replace those in GOFLAGS.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false -trimpath -tags=containers_image_openpgp)

# The folder of real catalogs and bundles, or nothing if there is none: tests skip what needs it. See test/realdata.
export PLATFORM_OPERATORS_REAL_DATA ?= $(if $(wildcard ../shared/data/catalogs),../shared/data)

MODULE := github.com/openshift/platform-operators
# The payload's builders say by these variables what they build, and have no .git or another repository's: then git is not asked. The
# environment's own VERSION is not read, as builders have one of their own. Names given to make (make build VERSION=…) count over all.
ifdef OS_GIT_VERSION
VERSION = $(OS_GIT_VERSION)
COMMIT = $(SOURCE_GIT_COMMIT)
TREE_STATE = $(OS_GIT_TREE_STATE)
DATE = $(if $(SOURCE_DATE_EPOCH),$(shell date --utc --date='@$(SOURCE_DATE_EPOCH)' +%Y-%m-%dT%H:%M:%SZ))
else
VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo v0.0.0-unknown)
COMMIT = $(shell git rev-parse HEAD 2>/dev/null)
TREE_STATE = $(shell git rev-parse --quiet --verify HEAD >/dev/null 2>&1 && { git diff --quiet HEAD && echo clean || echo dirty; })
DATE = $(shell TZ=UTC0 git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
endif
LDFLAGS = -X $(MODULE)/pkg/version.gitVersion=$(VERSION) -X $(MODULE)/pkg/version.gitCommit=$(COMMIT) \
	-X $(MODULE)/pkg/version.gitTreeState=$(TREE_STATE) -X $(MODULE)/pkg/version.buildDate=$(DATE)

# RESULTS is a folder for what each test came to, as JSON: of go test by gotestsum, of suites by ginkgo's report.
RESULTS ?=
GOTEST = $(if $(RESULTS),go run gotest.tools/gotestsum@v1.13.0 --format=standard-quiet --jsonfile='$(abspath $(RESULTS))/$@.json' --,go test)
# Three processes, each with a cluster of its own: a suite mostly waits. From vendor/, so that it is the version of the suites.
GINKGO = go run github.com/onsi/ginkgo/v2/ginkgo --procs=3 --timeout=30m $(if $(RESULTS),--no-color --output-dir='$(abspath $(RESULTS))' --json-report=$@.json)

# What the manager asked of the API servers, for test-rbac. A suite's are removed when it begins.
TRACES = $(CURDIR)/_output/traces

# Tests that test-unit and test-extension leave to test-long, test-sample and test-rbac, though the packages that they are in have quick ones too.
LONG := ^TestNothingToDo$$|^TestCLU_P5_|^TestCLU_P11_|^TestLeadership$$|EachInvariantFindsItsMutant|EachDefectIsFound
# Tests that go through all the real catalogs or bundles have Real in their names. They, those that go through hundreds or thousands of
# generated cases, and those that read megabytes, a million files or the whole repository run without the race detector. It makes them ten
# times slower, and finds nothing in what does one thing after another; it sees the tests of small made-up data, and where something runs at
# the same time one real package.
empty :=
REAL := $(subst $(empty) $(empty),|,$(strip Real AMillionTinyFiles WhateverACatalogContains WhateverRequestFails \
	HRD_U1_ UPG_V14_ UPG_R3_ UPG_R5_ HRD_B1_ HRD_B2_ManyClusters_ HRD_C1_ OM_6_ TheSearchIsBounded TestSolver ASpentBudget \
	DifferencesAreExactly InvariantsOfRandomInputs AmongAHundredOperators StatusIsWhatANewManagerWouldWrite PageHasABound IsKeptOfAnObject \
	LittleMemory LargeBlobs LimitsHoldWith ProvidersAreLimited ContentIsReleased ContentIsLimited ReadObjectsBounds \
	PerturbationsFindEach PerturbationsHaveUnique AnotherOperatorReaches AnotherOperatorDoesWhatGenerated AGeneratedStoryCanBePerformed \
	AnOracleFindsDefects AFaultOfAStepSaysWhere EveryRuleFindsItsViolations EveryReasonIsAListedConstant HRD_C8_))

# The suites that hack/test.sh runs in the background have no share of a busy machine's processors for minutes: it is then no sign that they
# hang.
HANGS := 40m

##@ Use

.PHONY: help
help: ## Say what there is
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the manager: _output/platform-operators
	go build -tags=containers_image_openpgp -ldflags '$(LDFLAGS)' -o _output/platform-operators ./cmd/platform-operators

# Static, because it is copied to machines of any distribution.
.PHONY: build-cli
build-cli: ## Build the plugin of kubectl and oc: _output/kubectl-platform
	CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o _output/kubectl-platform ./cmd/kubectl-platform

# Static, as it is run from out of the image on whatever machine: GO_COMPLIANCE_POLICY keeps the go command of OpenShift's builders from
# linking the system's cryptography, which is what it does with all else. Fields of the extension's own version package are stamped.
EXTENSION_VERSION := github.com/openshift-eng/openshift-tests-extension/pkg/version
.PHONY: build-tests-ext
build-tests-ext: ## Build the tests for openshift-tests: _output/platform-operators-tests-ext
	CGO_ENABLED=0 GO_COMPLIANCE_POLICY=exempt_all go build -ldflags '-X $(EXTENSION_VERSION).CommitFromGit=$(COMMIT) -X $(EXTENSION_VERSION).BuildDate=$(DATE)' -o _output/platform-operators-tests-ext ./cmd/platform-operators-tests-ext

.PHONY: demo
demo: ## Watch platform operators on a real API server. DEMO=exit ends after the story; SCOPED=yes installs as ServiceAccounts, with the roles of manifests-scoped/; CATALOG=, BUNDLES= and PACKAGE= take real data
	@echo "Building the demo. The first time everything is compiled, which takes several minutes in all; this part of it says nothing until it is done."
	@go build -o _output/demo ./test/demo
	@exec _output/demo -catalog='$(CATALOG)' -bundles='$(BUNDLES)' -package='$(PACKAGE)' $(if $(filter exit,$(DEMO)),-exit) $(if $(SCOPED),-scoped)

.PHONY: images
images: ## Write the image as an OCI layout: _output/images. The same source gives the same digests
	go run ./hack/images

.PHONY: clean
clean: ## Remove _output
	rm -rf _output

##@ Test

.PHONY: test
test: private SHELL := /bin/bash
test: private .SHELLFLAGS = -o pipefail -c # hack/test.sh is no step: its targets are
test: compile results ## Run all tests but the long ones. RESULTS=folder keeps their results as JSON
	@ALSO='$(ALSO)' BESIDE='$(BESIDE)' hack/test.sh

.PHONY: results
results:
	@$(if $(RESULTS),mkdir -p '$(RESULTS)')

# The packages of unit tests.
UNIT = go list ./... | grep --invert-match --extended-regexp '/test/(integration|e2e|extension|faults/stories|scenarios)(/|$$)|/pkg/client/'

.PHONY: compile
compile: localcluster compile-race compile-plain compile-modules ## Compile what the tests need ahead of time; each of them also does so itself

# go list -export compiles packages and their tests, and links nothing.
.PHONY: compile-race
compile-race:
	$(UNIT) | xargs go list -export -test -race >/dev/null

.PHONY: compile-plain
compile-plain:
	go list -export -test ./... >/dev/null

.PHONY: compile-modules
compile-modules:
	go list -C test/localcluster -export -test ./... >/dev/null
	go list -C test/bench -export -test ./... >/dev/null
	go list -C test/alerts -export -test ./... >/dev/null
	go list -C test/registries -export -test ./... >/dev/null
	go list -C test/mirrors -export -test ./... >/dev/null
	go list -C test/openshiftmanager -export -test ./... >/dev/null
	go list -C hack/apilint -export -test ./... >/dev/null
	go list -C hack/deadcode -export -test ./... >/dev/null

# -vet=off here and below: go test would vet every package once more, by fewer rules than make verify.
# Programs with the race detector sleep for a second before they end, so that goroutines can run on; the tests of a package have ended then.
test-unit test-bubbles: export GORACE := atexit_sleep_ms=50

.PHONY: test-unit
test-unit: results ## Unit tests with the race detector, except those of test-bubbles, and the checks of manifests/
	$(UNIT) | while read -r package; do if ! $(HAS_BUBBLES); then echo "$${package}"; fi; done | \
		xargs $(GOTEST) -race -vet=off -timeout=10m -run='^(Test|Example)' -skip='$(LONG)|$(REAL)' $(TESTFLAGS)

# HAS_BUBBLES tests whether a package imports testing/synctest. The race detector crashes if two threads run timers of one bubble at the
# same time (https://go.dev/issue/78156), so this target and hack/test-long.sh use -cpu=1. Goroutines are still scheduled in random order.
HAS_BUBBLES = grep --quiet --no-messages '"testing/synctest"' ".$${package\#$(MODULE)}"/*.go
.PHONY: test-bubbles
test-bubbles: results ## Unit tests of packages that use virtual time, with the race detector, on one processor
	$(UNIT) | while read -r package; do if $(HAS_BUBBLES); then echo "$${package}"; fi; done | \
		xargs $(GOTEST) -race -cpu=1 -vet=off -timeout=$(HANGS) -run='^(Test|Example)' -skip='$(LONG)|$(REAL)' $(TESTFLAGS)

# Separate from test-unit: a fuzz target opens its corpus by a path in this checkout, so the go command cannot reuse the package's cached
# results in another checkout. Without the race detector: each parser runs in one goroutine.
.PHONY: test-seeds
test-seeds: results ## The seeds and the stored corpus of every fuzz target; test-long fuzzes them
	$(UNIT) | while read -r package; do \
		if grep --quiet --no-messages '^func Fuzz' ".$${package#$(MODULE)}"/*_test.go; then echo "$${package}"; fi; \
	done | xargs $(GOTEST) -vet=off -timeout=$(HANGS) -run='^Fuzz' $(TESTFLAGS)

.PHONY: test-real
test-real: results ## Unit tests over thousands of generated cases, and over the real catalogs and bundles that are in ../shared/data
	$(UNIT) | while read -r package; do \
		if grep --quiet --no-messages --extended-regexp '^func (Test|Fuzz|Example)\w*($(REAL))' ".$${package#$(MODULE)}"/*_test.go; then echo "$${package}"; fi; \
	done | xargs $(GOTEST) -vet=off -timeout=$(HANGS) -run='$(REAL)' $(TESTFLAGS)

# Renamed when it is complete, because test-scenarios and test-sample can run at the same time.
.PHONY: scenario-objects
scenario-objects:
	@mkdir -p _output
	go run -C test/localcluster . objects >_output/scenario-objects.json.$$$$ && mv _output/scenario-objects.json.$$$$ _output/scenario-objects.json

# Chooses the perturbations of stories: others for each commit, and the same ones again for the same commit. It is the time of the commit,
# which a shallow clone has, too.
SCENARIO_SEED ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),1)

.PHONY: test-scenarios
test-scenarios: scenario-objects results ## Stories about the whole manager in one process, at virtual time
	rm -f '$(TRACES)'/scenarios*
	hack/in-memory.sh $(GOTEST) -vet=off -timeout=$(HANGS) $(TESTFLAGS) ./test/scenarios -args -traces='$(TRACES)' -seed='$(SCENARIO_SEED)' -hosted=5

.PHONY: test-mirrors
test-mirrors: results ## Compares the locations of images, and the verification of signatures, with CRI-O's library
	cd test/mirrors && $(GOTEST) -vet=off -timeout=$(HANGS) $(TESTFLAGS) ./...

.PHONY: test-registries
test-registries: results ## The cluster in memory on Kubernetes' own registries: it answers as a real API server does
	cd test/registries && $(GOTEST) -vet=off -timeout=$(HANGS) $(TESTFLAGS) ./...

# Not cached: the tests build the manager themselves.
.PHONY: test-openshiftmanager
test-openshiftmanager: results ## apply-configuration in OpenShift Manager's own test runner
	cd test/openshiftmanager && $(GOTEST) -vet=off -count=1 -timeout=$(HANGS) $(TESTFLAGS) ./...

.PHONY: test-alerts
test-alerts: results ## Each alert in Prometheus' own engine: when it fires, and that it does not before
	cd test/alerts && $(GOTEST) -vet=off -timeout=$(HANGS) $(TESTFLAGS) ./...

.PHONY: test-bench
test-bench: results ## Tests of the benchmarks' own helpers; without the race detector, for which their peers would have to be compiled too
	cd test/bench && $(GOTEST) -vet=off -timeout=$(HANGS) $(TESTFLAGS) ./...

.PHONY: test-localcluster
test-localcluster: localcluster results ## Tests of the local cluster, which is a module of its own
	cd test/localcluster && $(GOTEST) -vet=off -count=1 -timeout=10m $(TESTFLAGS) ./...

.PHONY: test-integration
test-integration: localcluster results ## The manager against a real API server, one behavior per file. TESTFLAGS='--focus="…"' runs some
	rm -f '$(TRACES)'/integration*
	$(GINKGO) $(TESTFLAGS) ./test/integration -- -traces='$(TRACES)'

.PHONY: test-faults
test-faults: localcluster results ## A few kill points and a refused write; test-long has all the others
	$(GOTEST) -vet=off -count=1 -timeout=10m -run='TestKilledAtAFewWrites|TestARefusedWrite' $(TESTFLAGS) ./test/faults/stories -args -stories=quick

.PHONY: test-extension
test-extension: localcluster results ## The tests for openshift-tests: all of them pass on the local cluster. test-long also shows what each of them notices
	$(GOTEST) -vet=off -count=1 -timeout=10m -skip='$(LONG)' $(TESTFLAGS) ./test/extension

.PHONY: e2e
e2e: localcluster results ## The demo's story, and real bundles, end to end
	rm -f '$(TRACES)'/e2e*
	$(GINKGO) $(TESTFLAGS) ./test/e2e -- -traces='$(TRACES)'

# Skipped in test-unit, as nothing has been asked then.
.PHONY: test-rbac
test-rbac: results ## The manager's roles against its requests in test-scenarios, test-integration and e2e; run those first
	$(GOTEST) -vet=off -count=1 -run='^TestCLU_P5_' ./test/rbac -args -traces='$(TRACES)'

.PHONY: test-long
test-long: localcluster scenario-objects results ## What takes a quarter of an hour and more, and writes docs/soak.md: kill points, faults, quiet time, leases, mutants, stories with the race detector, fuzzing. SEED= repeats the choice of kill points, FULL=1 tries all
	SAMPLE= FULL='$(FULL)' RESULTS='$(abspath $(RESULTS))' TESTFLAGS='$(TESTFLAGS)' SEED='$(SEED)' hack/test-long.sh

.PHONY: test-sample
test-sample: localcluster scenario-objects results ## A part of what test-long has and make test has not, at most five minutes on two idle cores. It prints its seed; SEED= repeats it
	SAMPLE=1 FULL= QUIET_FOR= RESULTS='$(abspath $(RESULTS))' TESTFLAGS='$(TESTFLAGS)' SEED='$(SEED)' hack/test-long.sh

.PHONY: test-clusters
test-clusters: localcluster results ## test-extension, and beside it test-localcluster, test-faults and e2e
	RESULTS='$(abspath $(RESULTS))' hack/test-clusters.sh

.PHONY: localcluster
localcluster: ## Compile the local cluster's programs ahead of time (once for each version; takes minutes)
	go run -C test/localcluster . build

.PHONY: bench
bench: ## Measure, and write docs/benchmarks.md
	go run -C test/bench .

##@ Keep

.PHONY: update
update: ## Generate everything that follows from pkg/apis: deepcopy, clients, CRDs; the list of tests for openshift-tests; docs/promises.md; docs/cli
	hack/update-codegen.sh # first: the rest compiles what it writes
	$(MAKE) update-tests-ext update-promises update-cli-docs

# It refuses to forget a test: one that is renamed has to say what it was called before.
.PHONY: update-tests-ext
update-tests-ext: build-tests-ext
	_output/platform-operators-tests-ext update

# Takes seconds, unlike the rest of update.
.PHONY: update-promises
update-promises: ## Write docs/promises.md from the promises beside the tests
	go run ./hack/promises

.PHONY: update-cli-docs
update-cli-docs: ## Write docs/cli from the commands of the plugin
	go run ./hack/clidocs

.PHONY: verify
verify: verify-codegen verify-tests-ext verify-promises verify-cli-docs verify-format vet ## Fail when something generated, formatted or vendored is stale. Changes nothing, needs no network

.PHONY: verify-codegen
verify-codegen: ## Fail when something generated is stale
	hack/verify-codegen.sh

METADATA := .openshift-tests-extension/openshift_payload_platform-operators.json
.PHONY: verify-tests-ext
verify-tests-ext: build-tests-ext ## Fail when the list of tests for openshift-tests is stale
	@rm -rf _output/metadata && mkdir -p _output/metadata/.openshift-tests-extension && cp $(METADATA) _output/metadata/.openshift-tests-extension
	@cd _output/metadata && ../platform-operators-tests-ext update >/dev/null
	@diff --unified $(METADATA) _output/metadata/$(METADATA) || { echo "$(METADATA) is stale; run 'make update'."; exit 1; }

.PHONY: verify-promises
verify-promises: ## Fail when an id of a test has no promise, or docs/promises.md is stale
	go run ./hack/promises -check

.PHONY: verify-cli-docs
verify-cli-docs: ## Fail when docs/cli is stale
	go run ./hack/clidocs -check

.PHONY: verify-format
verify-format: ## Fail when a file is not gofmt'ed
	@unformatted=$$(gofmt -s -l bindata cmd hack hosted pkg test); \
	if [[ -n "$$unformatted" ]]; then echo "Not formatted; run 'gofmt -s -w' on:"; echo "$$unformatted"; exit 1; fi

.PHONY: vet
vet: ## go vet, which also fails when go.mod and vendor/modules.txt disagree
	go vet ./...
	go vet -C test/localcluster ./...
	go vet -C test/bench ./...
	go vet -C test/alerts ./...
	go vet -C test/registries ./...
	go vet -C test/mirrors ./...
	go vet -C test/openshiftmanager ./...
	go vet -C hack/apilint ./...
	go vet -C hack/deadcode ./...

.PHONY: update-vendor
update-vendor: ## Write vendor/ anew from go.mod (network)
	go mod tidy
	go mod vendor

.PHONY: verify-vendor
verify-vendor: ## Fail when go.mod is not tidy or vendor/ was edited (network)
	go mod tidy -diff
	rm -rf _output/vendor
	go mod vendor -o _output/vendor
	diff --recursive --brief vendor _output/vendor

.PHONY: lint
lint: lint-api lint-deadcode ## golangci-lint by .golangci.yml, where each rule says why it is there, lint-api and lint-deadcode
	hack/lint.sh

# Not cached: the linter is a test of its module, and reads pkg/apis by itself.
.PHONY: lint-api
lint-api: results ## kube-api-linter over pkg/apis as openshift/api runs it, by hack/apilint/settings.yaml, where each exception has its reason
	cd hack/apilint && $(GOTEST) -vet=off -count=1 -timeout=10m $(TESTFLAGS) ./...

# Not cached: the test reads all packages by itself.
.PHONY: lint-deadcode
lint-deadcode: results ## Fail if only tests reach a function of pkg/; hack/deadcode/exceptions.yaml says why some may
	cd hack/deadcode && $(GOTEST) -vet=off -count=1 -timeout=20m $(TESTFLAGS) ./...
