package scenarios

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/scenario/harness"
	scenariostory "github.com/openshift/platform-operators/pkg/scenario/story"
)

// runOnTopologies runs a story on a standalone cluster and, if -hosted chooses it, on a hosted control plane, and compares the clusters at
// the end. finish is called after the comparison.
func runOnTopologies(t *testing.T, from Origin, run, finish func(s *Story)) {
	t.Helper()
	storiesRun.Add(1)
	if !isHostedStory(t.Name()) {
		RunFrom(t, from, func(s *Story) {
			run(s)
			finish(s)
		})
		return
	}
	states := map[topology]harness.State{}
	play := func(t *testing.T, on topology) {
		t.Helper()
		from.Topology = on
		RunFrom(t, from, func(s *Story) {
			run(s)
			if s.Failed() {
				return
			}
			var err error
			states[on], err = s.endState(s.Context())
			s.must(err)
			finish(s)
		})
	}
	play(t, standalone)
	if t.Failed() {
		return
	}
	isCompared := !isPermitted(topologies.NotCompared, t.Name())
	t.Run("OM-12 on a hosted control plane", func(t *testing.T) {
		play(t, hostedControlPlane)
		if !isCompared || t.Failed() {
			return
		}
		compareTopologies(t, states[standalone], states[hostedControlPlane])
	})
}

// endStateDelay is the time between the end of a story and the comparison. It exceeds the deadline of a rollout, so that each rollout has
// ended or failed on both topologies.
const endStateDelay = 31 * time.Minute

// endState waits for endStateDelay, and returns the content of the cluster.
func (s *Story) endState(ctx context.Context) (harness.State, error) {
	if err := s.Cluster.Settle(); err != nil {
		return nil, err
	}
	time.Sleep(endStateDelay)
	if err := s.Cluster.Settle(); err != nil {
		return nil, err
	}
	system, err := harness.Operator{
		Users: []string{managerUser}, Interval: restInterval, Normalize: normalizeTopologies, NormalizeHistory: removeHistory,
		Open: func(context.Context, harness.Checkpoint) (*harness.System, error) {
			return &harness.System{Runner: &scenariostory.Runner{Cluster: s.Cluster}, Stop: func() error { return nil }}, nil
		},
	}.StartSystem(ctx, harness.Checkpoint{})
	if err != nil {
		return nil, err
	}
	return system.StateWithoutHistory(ctx)
}

// These match what differs between two runs of a story in the JSON of an object: the certificates of service-ca, and digests of bundles that
// a story makes with random content.
var (
	randomCertificate = regexp.MustCompile(`("caBundle":|"tls\.(?:crt|key)":)"[^"]*"`)
	randomSigner      = regexp.MustCompile(`(openshift-service-serving-signer@)\d+`)
	randomDigest      = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
)

// normalizeTopologies is like normalizeCompared, and also replaces certificates, digests, and the times in a spec.
func normalizeTopologies(object *unstructured.Unstructured) (isCompared bool, err error) {
	if isCompared, err = normalizeCompared(object); err != nil || !isCompared {
		return isCompared, err
	}
	content, err := json.Marshal(object.Object)
	if err != nil {
		return false, err
	}
	for pattern, replacement := range map[*regexp.Regexp]string{
		randomCertificate: `$1"CERTIFICATE"`, randomSigner: "${1}TIME", randomDigest: "sha256:DIGEST", changingTime: "TIME",
	} {
		content = pattern.ReplaceAll(content, []byte(replacement))
	}
	object.Object = map[string]any{}
	return true, json.Unmarshal(content, &object.Object)
}

// compareTopologies fails the test if two clusters differ otherwise than topologiesFile permits.
func compareTopologies(t *testing.T, standalone, hosted harness.State) {
	t.Helper()
	if len(standalone) == 0 || len(hosted) == 0 {
		t.Fatalf("the standalone cluster has %d objects, and the guest %d", len(standalone), len(hosted))
	}
	for _, line := range differences(standalone, hosted) {
		if !isPermitted(topologies.Differences, line) {
			t.Errorf("the topologies differ (-standalone +hosted): %s; correct the manager, or list the line in %s with the reason", line, topologiesFile)
		}
	}
}

// differences returns a line for each object that only one of two clusters has, and for each line in which an object differs. A line of the
// first cluster begins with "-", and of the second with "+".
func differences(first, second harness.State) (lines []string) {
	for _, name := range harness.Different(first, second) {
		before, existed := first[name]
		after, exists := second[name]
		switch {
		case !exists:
			lines = append(lines, "- "+name)
		case !existed:
			lines = append(lines, "+ "+name)
		default:
			for _, line := range without(before, after) {
				lines = append(lines, "- "+name+": "+line)
			}
			for _, line := range without(after, before) {
				lines = append(lines, "+ "+name+": "+line)
			}
		}
	}
	return lines
}

// without returns the lines that are in lines more often than in others, without indentation and the comma at the end.
func without(lines, others []string) (left []string) {
	trim := func(line string) string { return strings.TrimSuffix(strings.TrimSpace(line), ",") }
	count := map[string]int{}
	for _, line := range others {
		count[trim(line)]++
	}
	for _, line := range lines {
		if count[trim(line)]--; count[trim(line)] < 0 {
			left = append(left, trim(line))
		}
	}
	return left
}
