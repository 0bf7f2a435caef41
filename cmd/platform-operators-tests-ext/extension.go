package main

import (
	"context"
	"errors"
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
	packageVariable = "PLATFORM_OPERATORS_TESTS_PACKAGE"
	timeoutVariable = "PLATFORM_OPERATORS_TESTS_TIMEOUT"
	cleanupVariable = "PLATFORM_OPERATORS_TESTS_CLEANUP"

	// defaultTimeout is the default of spec.Limits.Timeout. It is long enough for clusters that run other tests concurrently.
	defaultTimeout = 2 * time.Minute
	// defaultCleanup is the default of spec.Limits.Cleanup. It is long enough to remove an operator with custom resources and many Pods.
	defaultCleanup = 5 * time.Minute
)

// newExtension returns the extension with the given specs. When the extension runs a spec, it calls connect to get the environment.
func newExtension(all []spec.Spec, connect func() (*environment, error)) *extension.Extension {
	ext := extension.NewExtension("openshift", "payload", "platform-operators")
	ext.AddSuite(extension.Suite{
		Name:             "openshift/platform-operators/conformance/parallel",
		Description:      "Tests of platform-operators that do not affect other workloads.",
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
			// New tests are informing. They can become blocking when their pass rate on real clusters is known.
			Lifecycle: extensiontests.LifecycleInforming,
			Run:       func(ctx context.Context) *extensiontests.ExtensionTestResult { return try(ctx, each, connect) },
		})
	}
	ext.AddSpecs(tests)
	return ext
}

// environment holds the cluster that specs run on, and the limits for their waits.
type environment struct {
	cluster *spec.Cluster
	limits  spec.Limits
}

// connection returns a function that connects to the cluster on its first call. Later calls return the same result. The environment
// variables are read only on that call, because commands info and list need no cluster.
func connection() func() (*environment, error) {
	return sync.OnceValues(func() (*environment, error) {
		timeout, timeoutErr := duration(timeoutVariable, defaultTimeout)
		cleanup, cleanupErr := duration(cleanupVariable, defaultCleanup)
		if err := errors.Join(timeoutErr, cleanupErr); err != nil {
			return nil, err
		}
		config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
		if err != nil {
			return nil, fmt.Errorf("reading KUBECONFIG: %w", err)
		}
		cluster, err := spec.Connect(config, os.Getenv(packageVariable))
		return &environment{cluster, spec.Limits{Timeout: timeout, Cleanup: cleanup}}, err
	})
}

// duration parses the duration in an environment variable. It returns the value of otherwise if the variable is not set, and an error if
// the value is not a positive duration.
func duration(variable string, otherwise time.Duration) (time.Duration, error) {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise, nil
	}
	value, err := time.ParseDuration(text)
	if err != nil || value <= 0 {
		return 0, fmt.Errorf("reading %s: %q is not a duration such as 30s", variable, text)
	}
	return value, nil
}

// try runs one spec and converts its outcome to a result of openshift-tests-extension.
func try(ctx context.Context, each spec.Spec, connect func() (*environment, error)) *extensiontests.ExtensionTestResult {
	result := &extensiontests.ExtensionTestResult{Name: each.Name, Result: extensiontests.ResultPassed}
	on, err := connect()
	if err != nil {
		result.Result, result.Error = extensiontests.ResultFailed, err.Error()
		return result
	}
	outcome := each.Try(ctx, on.cluster, on.limits)
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
