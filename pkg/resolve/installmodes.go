package resolve

import (
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// Install modes, as ClusterServiceVersions name them.
const (
	modeAll    = "AllNamespaces"
	modeOwn    = "OwnNamespace"
	modeSingle = "SingleNamespace"
	modeMulti  = "MultiNamespace"
)

// installModesRule refuses a bundle that, according to its install modes, cannot watch the wanted namespaces. It permits a bundle that
// declares no install modes, because such a bundle is checked when it is rendered. If the spec names no namespace, the bundle watches all
// namespaces if it can, else its own.
func installModesRule(q *query, o *Option) reason.Reason {
	supported := o.Bundle.InstallModes
	if supported == nil {
		return nil
	}
	if q.request.WatchNamespace == "" {
		if supported[modeAll] || supported[modeOwn] {
			return nil
		}
		return reason.NoNamespace{Supported: modesOf(supported)}
	}
	for _, mode := range requiredModes(strings.Split(q.request.WatchNamespace, ","), q.installNamespace(o)) {
		if !supported[mode] {
			return reason.UnsupportedInstallMode{Mode: mode, WatchNamespace: q.request.WatchNamespace, Supported: modesOf(supported)}
		}
	}
	return nil
}

// requiredModes returns the install modes that a bundle must support to watch the given namespaces. If they include the bundle's own
// namespace, it must support OwnNamespace, as in OLM v0.
func requiredModes(watched []string, own string) []string {
	var needed []string
	among := slices.Contains(watched, own)
	if among {
		needed = append(needed, modeOwn)
	}
	switch {
	case len(watched) > 1:
		needed = append(needed, modeMulti)
	case !among:
		needed = append(needed, modeSingle)
	}
	return needed
}

// installNamespace returns the namespace that an option would be installed in.
func (q *query) installNamespace(o *Option) string {
	switch {
	case q.request.InstallNamespace != "":
		return q.request.InstallNamespace
	case o.Bundle.SuggestedNamespace != "":
		return o.Bundle.SuggestedNamespace
	}
	return q.request.Package + "-system"
}

// modesOf returns the supported install modes as text for a message, sorted and shortened.
func modesOf(supported map[string]bool) []string {
	var modes []string
	for mode, isSupported := range supported {
		if isSupported {
			modes = append(modes, reason.Name(mode))
		}
	}
	slices.Sort(modes)
	return modes
}
