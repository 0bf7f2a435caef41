package scenarios

import (
	"slices"
	"strings"
	"testing"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// The model derives the edges of a package from replaces, skips and skipRange in the selected channels, or from semantic versioning.
func TestTheVersionModelHasTheDocumentedEdges(t *testing.T) {
	chain := []offer{memo("1.0.0"), memo("1.1.0"), memo("1.2.0")}
	skips := []offer{memo("1.0.0"), memo("1.1.0"), memo("1.2.0", offer{Replaces: "1.0.0", Skips: []string{"1.1.0"}})}
	fast := []offer{memo("1.0.0", offer{Channels: allChannels}), memo("1.1.0"), memo("1.2.0", offer{Channels: allChannels[1:]})}
	for name, c := range map[string]struct {
		offers       []offer
		channels     []string
		edges        platformv1alpha1.Edges
		defaultEdges operatorv1alpha1.DefaultEdges
		want         string
	}{
		"each version replaces the one before":       {offers: chain, want: "1.0.0-1.1.0 1.1.0-1.2.0"},
		"a version skips another one":                {offers: skips, want: "1.0.0-1.1.0 1.0.0-1.2.0 1.1.0-1.2.0"},
		"a version skips a range":                    {offers: []offer{chain[0], chain[1], memo("1.3.0", offer{SkipRange: ">=1.0.0 <1.3.0"})}, want: "1.0.0-1.1.0 1.0.0-1.3.0 1.1.0-1.3.0"},
		"a version is withdrawn":                     {offers: []offer{chain[0], memo("1.2.0", offer{Skips: []string{"1.1.0"}})}, want: "1.0.0-1.2.0"},
		"semantic versioning of the operator":        {offers: chain, edges: platformv1alpha1.EdgesSemver, want: "1.0.0-1.1.0 1.0.0-1.2.0 1.1.0-1.2.0"},
		"semantic versioning by default":             {offers: chain, defaultEdges: operatorv1alpha1.DefaultEdgesBoth, want: "1.0.0-1.1.0 1.0.0-1.2.0 1.1.0-1.2.0"},
		"channels, although the default is another":  {offers: chain, edges: platformv1alpha1.EdgesChannel, defaultEdges: operatorv1alpha1.DefaultEdgesSemver, want: "1.0.0-1.1.0 1.1.0-1.2.0"},
		"the predecessor in another channel, unused": {offers: fast, channels: allChannels[1:], want: "1.0.0-1.2.0"},
		"the default channel":                        {offers: fast, want: "1.0.0-1.1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			operator := &platformv1alpha1.PlatformOperator{}
			operator.Spec.Package.Channels = c.channels
			operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Edges: c.edges}
			m := versionModel{operator: operator, defaultEdges: c.defaultEdges}
			m.offers = slices.DeleteFunc(slices.Clone(c.offers), func(each offer) bool { return len(m.selectedChannels(each)) == 0 })
			var edges []string
			for from := range m.offers {
				for to := range m.offers {
					if m.hasEdge(from, to) {
						edges = append(edges, m.offers[from].Version+"-"+m.offers[to].Version)
					}
				}
			}
			if got := strings.Join(edges, " "); got != c.want {
				t.Errorf("the edges are %q, want %q", got, c.want)
			}
		})
	}
}
