// Package cluster reads the API objects that the commands report on: PlatformOperators, BundleDeployments, the PlatformOperatorManager, the
// manager's Lease, and the ClusterOperator and ClusterVersion of OpenShift. It also writes approvals, and nothing else. The number of its requests does not depend on the number of
// operators, except that long lists are read in pages. Its errors name the object and the next step. The package draws no conclusions from
// the objects; the commands do.
package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	configclient "github.com/openshift/client-go/config/clientset/versioned/typed/config/v1"
	"k8s.io/client-go/dynamic"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	rbacclient "k8s.io/client-go/kubernetes/typed/rbac/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	corev1alpha2client "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/core/v1alpha2"
	operatorv1alpha1client "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/operator/v1alpha1"
	platformv1alpha1client "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/pager"
	"github.com/openshift/platform-operators/pkg/version"
)

// queries is the maximum number of requests per second of one command, and burst is the maximum number at once. A command sends only a
// handful of requests, but client-go's default of five per second would delay the pages of a long list.
const queries, burst = 50, 100

// Connection is a connection to one cluster as one user. Creating one does not send a request.
type Connection struct {
	// Config is the configuration for other clients of the same cluster.
	Config *rest.Config
	// HTTP is the client of all requests.
	HTTP *http.Client
	// Dynamic reads objects for which the connection has no typed client, such as catalogs, Services and Pods.
	Dynamic dynamic.Interface

	platform platformv1alpha1client.PlatformV1alpha1Interface
	bundles  corev1alpha2client.CoreV1alpha2Interface
	operator operatorv1alpha1client.OperatorV1alpha1Interface
	config   configclient.ConfigV1Interface
	leases   coordinationclient.CoordinationV1Interface

	// core, rbac, authentication and authorization are for the approval of a plan.
	core           coreclient.CoreV1Interface
	rbac           rbacclient.RbacV1Interface
	authentication authenticationclient.AuthenticationV1Interface
	authorization  authorizationclient.AuthorizationV1Interface
	// kubectl is "kubectl" or "oc", and plugin is the command of this plugin, such as "oc platform". Remedies show these commands.
	kubectl, plugin string
}

// Connect returns the connection that the flags of an invocation select.
func Connect(i *invocation.Invocation) (*Connection, error) {
	config, err := restConfig(i)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w; check the certificates and the user in the kubeconfig", config.Host, err)
	}
	c := &Connection{Config: config, HTTP: client, kubectl: i.Client(), plugin: i.Name}
	var failed [10]error
	c.platform, failed[0] = platformv1alpha1client.NewForConfigAndClient(config, client)
	c.bundles, failed[1] = corev1alpha2client.NewForConfigAndClient(config, client)
	c.operator, failed[2] = operatorv1alpha1client.NewForConfigAndClient(config, client)
	c.config, failed[3] = configclient.NewForConfigAndClient(config, client)
	c.leases, failed[5] = coordinationclient.NewForConfigAndClient(config, client)
	c.Dynamic, failed[4] = dynamic.NewForConfigAndClient(config, client)
	c.core, failed[6] = coreclient.NewForConfigAndClient(config, client)
	c.rbac, failed[7] = rbacclient.NewForConfigAndClient(config, client)
	c.authentication, failed[8] = authenticationclient.NewForConfigAndClient(config, client)
	c.authorization, failed[9] = authorizationclient.NewForConfigAndClient(config, client)
	if err := errors.Join(failed[:]...); err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", config.Host, err)
	}
	return c, nil
}

// restConfig returns the configuration for the selected cluster. It returns an error if no cluster is configured. client-go would try
// localhost:8080 instead, and the resulting error does not help an admin.
func restConfig(i *invocation.Invocation) (*rest.Config, error) {
	loader := i.Connection.ToRawKubeConfigLoader()
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("reading the kubeconfig: %w; check KUBECONFIG and --kubeconfig", err))
	}
	config, err := i.Connection.ToRESTConfig()
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("reading the kubeconfig: %w; check --kubeconfig, --context and --cluster", err))
	}
	if isSet := i.Connection.APIServer != nil && *i.Connection.APIServer != ""; len(raw.Clusters) == 0 && !isSet && !inCluster(config) {
		return nil, exit.With(exit.Usage, noClusterError(loader.ConfigAccess()))
	}
	config.QPS, config.Burst = queries, burst
	config.UserAgent = "platform-operators-cli/" + version.Get().GitVersion
	config.WarningHandler = rest.NewWarningWriter(i.Streams.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	config.Wrap(pager.Bounded)
	return config, nil
}

// noClusterError returns the error for kubeconfig files without a cluster. It names the files that --kubeconfig or KUBECONFIG selects.
func noClusterError(access clientcmd.ConfigAccess) error {
	const remedy = "to the file that oc login or the installer wrote"
	setting, files := "KUBECONFIG", access.GetLoadingPrecedence()
	switch {
	case access.IsExplicitFile():
		setting = "--kubeconfig"
	case slices.Equal(files, []string{clientcmd.RecommendedHomeFile}): // KUBECONFIG is not set
		return errors.New("no cluster is configured: set KUBECONFIG or --kubeconfig " + remedy)
	}
	var problems []string
	for _, file := range files {
		if file == "" {
			continue
		}
		problem := "has no cluster"
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			problem = "does not exist"
		}
		problems = append(problems, fmt.Sprintf("file %q of %s %s", file, setting, problem))
	}
	return fmt.Errorf("no cluster is configured: %s; set %s %s", strings.Join(problems, ", "), setting, remedy)
}

// inCluster reports whether the configuration is that of a Pod's ServiceAccount.
func inCluster(config *rest.Config) bool { return config.BearerTokenFile != "" }
