// Package semantics defines the flag --semantics of "catalog lint" and "catalog simulate". The flag selects the edge semantics that a
// report covers. The package neither reads catalogs nor prints.
package semantics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Selection is a value of --semantics.
type Selection string

// The values of --semantics besides the names of the semantics.
const (
	// OfPackage selects the semantics that the rules of each package select, or channel if they select none.
	OfPackage Selection = "package"
	// All selects all semantics.
	All Selection = "all"
)

func values() []string {
	return []string{string(OfPackage), string(upgrade.Channel), string(upgrade.Semver), string(upgrade.Both), string(All)}
}

// AddFlag adds the flag to a command.
func (s *Selection) AddFlag(command *cobra.Command) {
	*s = OfPackage
	command.Flags().StringVar((*string)(s), "semantics", string(*s), "semantics to use: those that each package selects (package), "+
		"channel, semver, both, or all of them")
	// This fails only for a flag that does not exist, or that already has a completion.
	_ = command.RegisterFlagCompletionFunc("semantics", cobra.FixedCompletions(values(), cobra.ShellCompDirectiveNoFileComp))
}

// Validate returns an error with code Usage for an unknown value.
func (s Selection) Validate() error {
	if slices.Contains(values(), string(s)) {
		return nil
	}
	return exit.With(exit.Usage, fmt.Errorf("unknown value %q of --semantics: use one of %s", s, strings.Join(values(), ", ")))
}

// Includes reports whether s selects semantics, for a package whose own semantics are ofPackage.
func (s Selection) Includes(semantics, ofPackage upgrade.Semantics) bool {
	switch s {
	case All:
		return true
	case OfPackage:
		return semantics == ofPackage
	}
	return string(s) == string(semantics)
}
