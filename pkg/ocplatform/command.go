// Package ocplatform contains the commands of the plugin "oc platform" that the manager's messages name. The plugin is optional. Therefore
// each message also names a field, or a command of oc or kubectl, that needs no plugin. A test in pkg/cli runs the plugin's own parser on
// each command.
package ocplatform

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/shell"
)

// Command is a command of the plugin.
type Command string

// Commands for all operators.
const (
	// Status shows whether the cluster can be upgraded, and the state of all operators.
	Status Command = "oc platform status"
	// Search lists the packages of all trusted catalogs.
	Search Command = "oc platform search"
	// ExplainUpgrade explains what blocks the cluster upgrade, with a command for each operator that blocks it.
	ExplainUpgrade Command = "oc platform explain upgrade"
)

// SubjectUpgrade is the argument of ExplainUpgrade. A PlatformOperator may have this name, too.
const SubjectUpgrade = "upgrade"

// Subject returns the argument with which the command explain finds a PlatformOperator, whatever its name is.
func Subject(operator string) string {
	if operator == SubjectUpgrade {
		return "platformoperator/" + operator
	}
	return operator
}

// Explain returns the command that explains why a PlatformOperator is blocked, or why it blocks the cluster upgrade.
func Explain(operator string) Command {
	return Command("oc platform explain " + shell.Quote(Subject(operator)))
}

// Updates returns the command that lists the newer versions of a PlatformOperator, and for each version what blocks it and what permits it.
func Updates(operator string) Command {
	return Command("oc platform updates " + shell.Quote(operator))
}

// Approve returns the command that shows the plan of a BundleDeployment, and approves it. For the BundleDeployment of a PlatformOperator, it
// also approves a version.
func Approve(name string) Command {
	return Command("oc platform approve " + shell.Quote(name))
}

// WithPlugin returns the command as part of a sentence, with the condition that the plugin must be installed.
func (c Command) WithPlugin() string {
	return fmt.Sprintf("with the plugin, %q", string(c))
}
