package resolve

import (
	"fmt"
	"slices"
	"strings"
)

// Install modes as ClusterServiceVersions name them.
const (
	modeAll    = "AllNamespaces"
	modeOwn    = "OwnNamespace"
	modeSingle = "SingleNamespace"
	modeMulti  = "MultiNamespace"
)

// installModes refuses what says that it cannot watch the namespaces that it should; who says nothing is found out when it
// is rendered. Without a wish, all namespaces are watched, or else the one that it is installed in.
func installModes(ask *question, o *option) string {
	supported := o.Bundle.InstallModes
	if supported == nil {
		return ""
	}
	if ask.WatchNamespace == "" {
		if supported[modeAll] || supported[modeOwn] {
			return ""
		}
		return fmt.Sprintf("supports the install modes [%s] only: say in spec.install.config.watchNamespace which namespaces it shall watch", modesOf(supported))
	}
	for _, mode := range modesNeeded(strings.Split(ask.WatchNamespace, ","), ask.installNamespace(o)) {
		if !supported[mode] {
			return fmt.Sprintf("does not support the install mode %s, which spec.install.config.watchNamespace %s needs, only [%s]",
				mode, quote(ask.WatchNamespace), modesOf(supported))
		}
	}
	return ""
}

// modesNeeded are the modes that an operator has to support to watch these namespaces. To watch the own namespace needs
// OwnNamespace, alone or among others, as in OLM v0.
func modesNeeded(watched []string, own string) []string {
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

// installNamespace is where an option would be installed.
func (ask *question) installNamespace(o *option) string {
	switch {
	case ask.InstallNamespace != "":
		return ask.InstallNamespace
	case o.Bundle.SuggestedNamespace != "":
		return o.Bundle.SuggestedNamespace
	}
	return ask.Package + "-system"
}

func modesOf(supported map[string]bool) string {
	var modes []string
	for mode, yes := range supported {
		if yes {
			modes = append(modes, clip(mode, maxQuoted))
		}
	}
	slices.Sort(modes)
	return list(modes, " ", 4)
}
