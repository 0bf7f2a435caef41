package graph

import (
	"slices"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// addNodes adds the versions, including the installed one if the catalog does not contain it.
func (r *Report) addNodes(in Input, graph *upgrade.Graph) {
	channels := map[string][]string{}
	for _, name := range r.Channels {
		channel, _ := in.Package.Channel(name)
		for _, entry := range channel.Entries {
			channels[entry.Name] = append(channels[entry.Name], name)
		}
	}
	at, isMissing := in.installed(), true
	for _, each := range graph.Bundles() {
		bundle, _ := in.Package.Bundle(each.Name)
		limit, _ := compat.Record(bundle.MaxOpenShiftVersions)
		isInstalled := at.isKnown() && each.Version.Equal(at.Version)
		isMissing = isMissing && !isInstalled
		r.Nodes = append(r.Nodes, Node{
			Version: each.Version.String(), Bundle: each.Name, Channels: channels[each.Name], Installed: isInstalled,
			Deprecated: each.Deprecated, MaxOpenShift: limit, version: each.Version,
		})
	}
	if at.isKnown() && isMissing {
		node := Node{Version: at.Version.String(), Bundle: at.Name, Installed: true, Missing: true, version: at.Version}
		index, _ := slices.BinarySearchFunc(r.Nodes, node, compareNodes)
		r.Nodes = slices.Insert(r.Nodes, index, node)
	}
}

func sourcesOf(all []upgrade.Source) []Source {
	sources := make([]Source, 0, len(all))
	for _, each := range all {
		sources = append(sources, Source{Kind: string(each.Kind), Channel: each.Channel})
	}
	return sources
}

// addPaths adds, for each version above the installed one, the path to it or the reason why there is none.
func (r *Report) addPaths(graph *upgrade.Graph, at installation, limit upgrade.Limit) {
	reach := graph.From(at.Bundle, at.ready)
	index := map[string]int{}
	for i := range r.Nodes {
		index[r.Nodes[i].Bundle] = i
	}
	isMissing := r.Nodes[index[at.Name]].Missing
	for to, bundle := range graph.Bundles() {
		if limit.Canceled() {
			return
		}
		node := &r.Nodes[index[bundle.Name]]
		if bundle.Version.Compare(at.Version) <= 0 {
			continue
		}
		if node.Steps = reach.Steps(to); node.Steps == 0 {
			refusal := reach.Refusal(to)
			node.Reason, node.Message = string(refusal.Reason), refusal.Message
			continue
		}
		if node.Steps <= platformv1alpha1.MaxPath {
			path, _ := reach.Path(to)
			for _, hop := range path {
				node.Path = append(node.Path, graph.Bundles()[hop.Bundle].Version.String())
			}
		}
		if isMissing && node.Steps == 1 {
			group := r.group(index[bundle.Name], reach.LastHop(to).Sources, upgrade.Refusal{})
			group.add(index[at.Name])
			r.keep(group.edge, at.Name)
		}
	}
}

// addStatus adds the reasons in the status of the PlatformOperator why versions are blocked. The manager considers more than the graph
// does, such as the range, the approval and the other operators.
func (r *Report) addStatus(operator *platformv1alpha1.PlatformOperator) {
	known := map[string]platformv1alpha1.AvailableUpdate{}
	for _, update := range operator.Status.AvailableUpdates {
		known[update.Version] = update
	}
	for i := range r.Nodes {
		if update, isKnown := known[r.Nodes[i].Version]; isKnown && update.BlockedReason != "" {
			r.Nodes[i].Reason, r.Nodes[i].Message = string(update.BlockedReason), update.BlockedMessage
		}
	}
}
