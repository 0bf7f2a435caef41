// Package explain implements the command "explain": it prints a chain from the cluster's verdict, through the operator and the property
// that causes it, to the command that fixes it. The report is a pure function of API objects. It depends on fields and on the types and
// reasons of conditions, never on the text of a message, which it only shows.
package explain

import (
	"maps"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/remedy"
	"github.com/openshift/platform-operators/pkg/shell"
)

// Kind is the kind of an object with conditions.
type Kind string

// The kinds.
const (
	// KindPlatformOperator and KindBundleDeployment report conditions of their own. library-go computes the conditions of the
	// ClusterOperator from those of KindManager. The kind Bundle is missing because no command reads Bundles.
	KindPlatformOperator Kind = "PlatformOperator"
	KindBundleDeployment Kind = "BundleDeployment"
	KindManager          Kind = "PlatformOperatorManager"
)

// Effect is what the reason of a condition means for an admin.
type Effect string

// The effects.
const (
	// Normal means that there is nothing to do.
	Normal Effect = "Normal"
	// InProgress means that the condition ends by itself.
	InProgress Effect = "InProgress"
	// Waiting means that the operator waits for an approval or for the end of a pause, because an admin selected that.
	Waiting Effect = "Waiting"
	// Warning means that somebody should act, but that nothing is blocked.
	Warning Effect = "Warning"
	// Blocking means that the operator or the cluster cannot be installed, upgraded or removed until somebody acts.
	Blocking Effect = "Blocking"
)

// Explanation says what a reason of a condition means.
type Explanation struct {
	Effect Effect
	// Text is one or two sentences.
	Text string
	// Next is the next step in words. Command is the command for it; empty if there is none. In Command, {client} stands for kubectl or oc,
	// {plugin} for the name of the plugin, and {name} for the name of the object.
	Next, Command string
}

// Reason identifies a reason of a condition. A reason can have a different meaning for another kind of object or another type of condition.
type Reason struct {
	Kind              Kind
	Condition, Reason string
}

// Explain returns the explanation of a reason. It returns false if there is none, because a manager of a different version wrote the
// reason.
func Explain(of Reason) (Explanation, bool) {
	explanation, isKnown := tables[of.Kind][of.Condition][of.Reason]
	return explanation, isKnown
}

// Explained returns all reasons that have an explanation, in a stable order.
func Explained() []Reason {
	var all []Reason
	for _, kind := range slices.Sorted(maps.Keys(tables)) {
		for _, condition := range slices.Sorted(maps.Keys(tables[kind])) {
			for _, reason := range slices.Sorted(maps.Keys(tables[kind][condition])) {
				all = append(all, Reason{kind, condition, reason})
			}
		}
	}
	return all
}

// byReason holds the explanations of one condition, keyed by reason.
type byReason map[string]Explanation

// tables holds the explanations, keyed by kind, type of condition and reason.
var tables = map[Kind]map[string]byReason{
	KindPlatformOperator: operatorTable,
	KindBundleDeployment: deploymentTable,
	KindManager:          managerTable,
}

// remedyFor returns the next step for an object; nil if there is none.
func (e Explanation) remedyFor(tools remedy.Tools, name string) *remedy.Remedy {
	if e.Next == "" {
		return nil
	}
	replacer := strings.NewReplacer("{client}", tools.Client, "{plugin}", tools.Plugin, "{name}", shell.Quote(name))
	return &remedy.Remedy{Text: e.Next, Command: replacer.Replace(e.Command)}
}
