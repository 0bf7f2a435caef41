package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift-eng/openshift-tests-extension/pkg/extension"
	"github.com/openshift-eng/openshift-tests-extension/pkg/extension/extensiontests"
	"github.com/openshift-eng/openshift-tests-extension/pkg/util/sets"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

const (
	packageVariable  = "PLATFORM_OPERATORS_TESTS_PACKAGE"
	patienceVariable = "PLATFORM_OPERATORS_TESTS_PATIENCE"

	// defaultPatience is for clusters that do something else beside, such as running other tests.
	defaultPatience = 2 * time.Minute
)

// newExtension makes the extension of specifications, which run on what connect gives.
func newExtension(all []spec.Spec, connect func() (*ground, error)) *extension.Extension {
	ext := extension.NewExtension("openshift", "payload", "platform-operators")
	ext.AddSuite(extension.Suite{
		Name:             "openshift/platform-operators/conformance/parallel",
		Description:      "What platform-operators promises, in tests that disturb nobody.",
		Parents:          []string{"openshift/conformance/parallel"},
		Qualifiers:       []string{`!name.contains("[Serial]")`},
		ClusterStability: extension.ClusterStabilityStable,
	})
	ext.AddSuite(extension.Suite{
		Name:             "openshift/platform-operators/conformance/serial",
		Description:      "What platform-operators promises, in tests that change what there is one of, or install something.",
		Parents:          []string{"openshift/conformance/serial"},
		Qualifiers:       []string{`name.contains("[Serial]")`},
		Parallelism:      1,
		ClusterStability: extension.ClusterStabilityStable,
	})
	ext.AddSuite(extension.Suite{
		Name:             "openshift/platform-operators/all",
		Description:      "All tests of platform-operators, one after the other.",
		Parallelism:      1,
		ClusterStability: extension.ClusterStabilityStable,
	})
	var tests extensiontests.ExtensionTestSpecs
	for _, each := range all {
		tests = append(tests, &extensiontests.ExtensionTestSpec{
			Name:         each.Name,
			OriginalName: each.OriginalName,
			Labels:       sets.New(each.Labels...),
			// As all new tests; blocking when it is known how they do on real clusters.
			Lifecycle: extensiontests.LifecycleInforming,
			Run:       func(ctx context.Context) *extensiontests.ExtensionTestResult { return try(ctx, each, connect) },
		})
	}
	ext.AddSpecs(tests)
	return ext
}

// ground is what specifications are tried on.
type ground struct {
	cluster  *spec.Cluster
	patience time.Duration
}

// connection reads the environment when the first specification runs: info and list need no cluster.
func connection() func() (*ground, error) {
	return sync.OnceValues(func() (*ground, error) {
		patience := defaultPatience
		if text := os.Getenv(patienceVariable); text != "" {
			var err error
			if patience, err = time.ParseDuration(text); err != nil || patience <= 0 {
				return nil, fmt.Errorf("reading %s: %q is not a duration such as 30s", patienceVariable, text)
			}
		}
		config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
		if err != nil {
			return nil, fmt.Errorf("reading KUBECONFIG: %w", err)
		}
		cluster, err := spec.Connect(config, os.Getenv(packageVariable))
		return &ground{cluster, patience}, err
	})
}

// try runs one specification, and says in the extension's words how it ended.
func try(ctx context.Context, each spec.Spec, connect func() (*ground, error)) *extensiontests.ExtensionTestResult {
	result := &extensiontests.ExtensionTestResult{Name: each.Name, Result: extensiontests.ResultPassed}
	on, err := connect()
	if err != nil {
		result.Result, result.Error = extensiontests.ResultFailed, err.Error()
		return result
	}
	outcome := each.Try(ctx, on.cluster, on.patience)
	result.Output = outcome.Log
	switch {
	case len(outcome.Failures) > 0:
		result.Result, result.Error = extensiontests.ResultFailed, strings.Join(outcome.Failures, "\n\n")
	case outcome.Skipped != "":
		result.Result = extensiontests.ResultSkipped
		result.Output += "skipped: " + outcome.Skipped + "\n"
	}
	return result
}
