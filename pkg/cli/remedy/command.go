// Package remedy defines the next steps that the commands show: a sentence, and the command that carries it out. It is pure: it depends on
// objects and reasons, never on messages. The commands are for a POSIX shell, and can be run unchanged unless they contain a word in
// capitals, which the user must replace.
package remedy

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/ocplatform"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/shell"
)

// Remedy is the next step of an admin.
type Remedy struct {
	// Text says what to do, as an imperative sentence.
	Text string `json:"text"`
	// Command carries out the step in Text, or shows what is needed to do so; empty if there is no such command.
	Command string `json:"command,omitempty"`
}

// Tools are the commands that remedies begin with.
type Tools struct {
	// Client is "kubectl" or "oc".
	Client string
	// Plugin is the name of this plugin, such as "oc platform".
	Plugin string
}

// PatchOperator returns the command that merges fields into the spec of a PlatformOperator.
func (t Tools) PatchOperator(name string, fields map[string]any) string {
	return t.Client + " patch platformoperator " + shell.Quote(name) + " --type=merge -p " + quoted(map[string]any{"spec": fields})
}

// AllowPackage returns the command that adds a package to spec.allowedPackages of the PlatformOperatorManager. The list must not be absent,
// because the command appends to it.
func (t Tools) AllowPackage(name string) string {
	patch := []map[string]any{{"op": "add", "path": "/spec/allowedPackages/-", "value": name}}
	return t.Client + " patch platformoperatormanager " + operatorv1alpha1.PlatformOperatorManagerName + " --type=json -p " + quoted(patch)
}

// Show returns the command that shows an object with its conditions and Events.
func (t Tools) Show(resource, name string) string {
	return t.Client + " describe " + resource + " " + shell.Quote(name)
}

// Explain returns the command that explains a PlatformOperator.
func (t Tools) Explain(operator string) string {
	return t.Plugin + " explain " + shell.Quote(ocplatform.Subject(operator))
}

// Updates returns the command that lists the newer versions of a PlatformOperator.
func (t Tools) Updates(operator string) string { return t.Plugin + " updates " + shell.Quote(operator) }

// Approve returns the command that approves the plan of a PlatformOperator or of a BundleDeployment.
func (t Tools) Approve(name string) string { return t.Plugin + " approve " + shell.Quote(name) }

// Versions returns the command that lists all versions of a package, or names similar packages if there is none of this name.
func (t Tools) Versions(pkg string) string {
	return t.Plugin + " search " + shell.Quote(pkg) + " --versions"
}

// Graph returns the command that shows the upgrade graph of a PlatformOperator.
func (t Tools) Graph(operator string) string { return t.Plugin + " graph " + shell.Quote(operator) }

// Status returns the command that shows everything about a PlatformOperator.
func (t Tools) Status(operator string) string { return t.Plugin + " status " + shell.Quote(operator) }

// quoted returns a value as JSON, quoted as one word for a shell.
func quoted(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // a range has "<" and ">"
	if err := encoder.Encode(value); err != nil {
		return "''" // cannot happen: patches consist of maps, lists, strings and booleans
	}
	return shell.Quote(strings.TrimSpace(text.String()))
}

// Override returns the command that acknowledges the risk of a PlatformOperator for the next minor version of the cluster. It is the same
// command as in the message of the ClusterOperator.
func (t Tools) Override(operator *platformv1alpha1.PlatformOperator, next compat.Minor, now time.Time) string {
	overrides := resolve.OverridesOf(operator)
	_, ignored := compat.JudgeOverrides(next, overrides, now)
	of := compat.Operator{Kind: compat.KindPlatformOperator, Name: operator.Name, Overrides: len(overrides), Ignored: ignored}
	return compat.OverrideCommand(t.Client, of, next, now)
}
