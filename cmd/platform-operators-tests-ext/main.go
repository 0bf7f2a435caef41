// Command platform-operators-tests-ext is the openshift-tests extension that contains the tests of platform-operators. Commands info and
// list describe the tests. Commands run-test and run-suite run tests on the cluster that KUBECONFIG selects. Stdout contains only JSON;
// logs go to stderr.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/openshift-eng/openshift-tests-extension/pkg/cmd"
	"github.com/openshift-eng/openshift-tests-extension/pkg/extension"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/specs"
)

func main() {
	registry := extension.NewRegistry()
	registry.Register(newExtension(specs.All(), connection()))

	root := &cobra.Command{
		Use:   "platform-operators-tests-ext",
		Short: "The tests of platform-operators, for openshift-tests",
		Long: "The tests of platform-operators, for openshift-tests. They run against the cluster of KUBECONFIG.\n\n" +
			"Environment variables beside it:\n" +
			"  " + packageVariable + "   a package of the cluster's catalogs that may be installed and removed again;\n" +
			"      without it the specs that install something are skipped\n" +
			"  " + timeoutVariable + "  how long a spec waits for a state, such as 30s; 2m unless set\n" +
			"  " + cleanupVariable + "   how long the cleanup of each changed object may take; 5m unless set",
	}
	root.AddCommand(cmd.DefaultExtensionCommands(registry)...)
	if err := root.Execute(); err != nil { // Execute has printed the error to stderr
		os.Exit(1)
	}
}
