package scenarios

import (
	"math/rand/v2"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// proposers return the steps of generated stories that do not change objects of the payload's kinds: an author publishes a catalog (five
// times as often as the others), an admin updates the cluster, the network of the catalog fails, Pods are not ready, the manager restarts,
// users edit installed objects, and a tenant tries what it must not do.
var proposers = []generate.Proposer{
	proposePublish, proposePublish, proposePublish, proposePublish, proposePublish,
	proposeUpdate, proposeOutage, proposePods, proposeRestart, proposeDrift, proposeForbidden,
}

// newStep returns a step with a verb and its arguments.
func newStep(verb string, arguments any) (story.Step, error) {
	made, err := story.NewArguments(arguments)
	return story.Step{Verb: verb, Arguments: made}, err
}

func oneStep(verb string, arguments any) ([]story.Step, error) {
	step, err := newStep(verb, arguments)
	return []story.Step{step}, err
}

// memo returns an offer of a version of package memo, with the other fields of like.
func memo(version string, like ...offer) offer {
	made := offer{}
	for _, each := range like {
		made = each
	}
	made.Package, made.Version = "memo", version
	return made
}

// catalogsOffered are contents of the catalog for package memo. All but the one that withdraws version 1.1.0 have versions 1.0.0 and 1.1.0,
// because the files in folder values name them.
var catalogsOffered = [][]offer{
	{memo("1.0.0"), memo("1.1.0")},
	{memo("1.0.0"), memo("1.1.0"), memo("1.2.0")},
	{memo("1.0.0"), memo("1.1.0"), memo("1.2.0", offer{NeverReady: true})},
	{memo("1.0.0"), memo("1.1.0", offer{MaxOpenShiftVersion: "4.21"})},
	{memo("1.0.0"), memo("1.1.0"), memo("1.2.0", offer{NoBundle: true})},
	{memo("1.0.0"), memo("1.1.0"), memo("1.2.0", offer{Replaces: "1.0.0", Skips: []string{"1.1.0"}})},
	{memo("1.0.0"), memo("1.1.0"), memo("1.3.0", offer{SkipRange: ">=1.0.0 <1.3.0"})},
	{memo("1.0.0"), memo("1.2.0", offer{Skips: []string{"1.1.0"}})}, // withdraws version 1.1.0
	// No other content has version 1.4.0, because status.installed.channel is the channel from which a version was once chosen.
	{memo("1.0.0", offer{Channels: allChannels}), memo("1.1.0", offer{Channels: allChannels}), memo("1.4.0", offer{Channels: allChannels[1:]})},
}

// offersAt returns the content of the catalog for packages memo and notes, by the index in catalogsOffered.
func offersAt(index int) []offer {
	return append([]offer{{Package: "notes", Version: "1.0.0"}, {Package: "notes", Version: "1.1.0"}}, catalogsOffered[index]...)
}

func proposePublish(random *rand.Rand) ([]story.Step, error) {
	return oneStep("publish", offersAt(random.IntN(len(catalogsOffered))))
}

// proposeUpdate updates the cluster. The gate of the manager may refuse the update.
func proposeUpdate(random *rand.Rand) ([]story.Step, error) {
	versions := []string{"4.21.1", "4.21.9", "4.22.0"}
	return oneStep("openshift", clusterUpdate{Version: versions[random.IntN(len(versions))], MayBeRefused: true})
}

// proposeOutage shuts down the network of the catalog and the registry for 20 minutes.
func proposeOutage(*rand.Rand) ([]story.Step, error) {
	down, err := newStep("network", "down")
	if err != nil {
		return nil, err
	}
	wait, err := newStep("wait", "20m")
	if err != nil {
		return nil, err
	}
	up, err := newStep("network", "up")
	return []story.Step{down, wait, up}, err
}

func proposePods(random *rand.Rand) ([]story.Step, error) {
	behaviors := []map[string]any{{"memo": map[string]any{"notReady": true}}, {}}
	return oneStep("pods", behaviors[random.IntN(len(behaviors))])
}

func proposeRestart(*rand.Rand) ([]story.Step, error) { return oneStep("manager", "restart") }

// proposeDrift changes or deletes an object that package memo installs. A tenant edits the Deployment.
func proposeDrift(random *rand.Rand) ([]story.Step, error) {
	changes := []struct {
		verb      string
		arguments any
	}{
		{"delete", "Service/memo/memo-metrics"},
		{"delete", "Deployment/memo/memo"},
		{"patch", map[string]any{"object": "Deployment/memo/memo", "spec": map[string]any{"replicas": 3}}},
		{"patch", map[string]any{"object": "Deployment/memo/memo", "metadata": map[string]any{"labels": map[string]any{"team": "a"}}}},
		{"delete", "BundleDeployment/memo"},
	}
	change := changes[random.IntN(len(changes))]
	step, err := newStep(change.verb, change.arguments)
	step.Refused = story.MayBeRefused // the object may not exist
	for _, each := range editableObjects {
		if each.isEditedBy(step) {
			step.As = each.user
		}
	}
	return []story.Step{step}, err
}
