package explain

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/cli/remedy"
)

// Link is one link in a chain: a condition, what it means, the properties that cause it, and the next step.
type Link struct {
	// Object is the object with the condition, such as "PlatformOperator/quay".
	Object string `json:"object"`
	// Condition and Status are empty if the link is about the OpenShift versions that a BundleDeployment supports, for which it has no
	// condition.
	Condition string `json:"condition"`
	Status    string `json:"status"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`
	// Outdated means that the condition is older than the last change to the spec of its object.
	Outdated bool   `json:"outdated,omitempty"`
	Effect   Effect `json:"effect"`
	// Explanation is what the reason means.
	Explanation string `json:"explanation"`
	// Properties are the fields and declarations that cause the condition; empty if they are not known.
	Properties []Property `json:"properties,omitempty"`
	// Remedy is the next step; nil if there is none.
	Remedy *remedy.Remedy `json:"remedy,omitempty"`
}

// Property is a field of an object, or a declaration of a bundle.
type Property struct {
	// Of is the object or the bundle that has the property.
	Of    string `json:"of"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// unknownReason explains a reason that is not in the tables because a manager of a different version wrote it.
var unknownReason = Explanation{Effect: Warning, Text: "This version of the plugin does not know the reason.", Next: "Read the message."}

// newLink returns the link for a condition. It depends on the condition's type and reason, never on its message.
func newLink(kind Kind, name string, condition metav1.Condition, tools remedy.Tools) Link {
	explanation, isKnown := Explain(Reason{kind, condition.Type, condition.Reason})
	if !isKnown {
		explanation = unknownReason
	}
	return Link{
		Object: string(kind) + "/" + name, Condition: condition.Type, Status: string(condition.Status), Reason: condition.Reason,
		Message: condition.Message, Effect: explanation.Effect, Explanation: explanation.Text, Remedy: explanation.remedyFor(tools, name),
	}
}

// isNotable reports whether a link belongs in a chain. A link whose effect is Normal does not.
func (l Link) isNotable() bool { return l.Effect != Normal }

// add adds a property, unless its value is empty.
func (l *Link) add(of, name, value string) {
	if value != "" {
		l.Properties = append(l.Properties, Property{of, name, value})
	}
}

// sentence returns the condition in one line; if the link has no condition, only the reason.
func (l Link) sentence() string {
	if l.Condition == "" {
		return fmt.Sprintf("%s (%s)", l.Object, l.Reason)
	}
	reason := cmp.Or(l.Reason, "no reason")
	if l.Outdated {
		reason += ", outdated"
	}
	return fmt.Sprintf("%s: %s=%s (%s)", l.Object, l.Condition, l.Status, reason)
}

// sentence returns the property in one line.
func (p Property) sentence() string { return fmt.Sprintf("%s of %s: %s", p.Name, p.Of, p.Value) }

// Chain holds the links that concern one PlatformOperator: its conditions, followed by those of its BundleDeployment. For a
// BundleDeployment without a PlatformOperator, it holds the links of that BundleDeployment.
type Chain struct {
	// Operator is the name of the PlatformOperator. For a BundleDeployment without a PlatformOperator, Operator is empty, and Deployment is
	// the name of the BundleDeployment.
	Operator   string `json:"operator"`
	Deployment string `json:"bundleDeployment,omitempty"`
	Version    string `json:"version,omitempty"`
	// BlocksCluster means that the operator blocks the upgrade of the cluster to its next minor version.
	BlocksCluster bool `json:"blocksCluster"`
	// Blocked means that somebody has to act before the operator is installed, upgraded or removed.
	Blocked bool `json:"blocked"`
	// Outdated means that the status of the PlatformOperator or the BundleDeployment is older than the last change to its spec, so that the
	// chain may be out of date.
	Outdated bool   `json:"outdated,omitempty"`
	Links    []Link `json:"links"`
}
