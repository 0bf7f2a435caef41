package rbac

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/declaredresources"
)

const (
	ofScoped   = "apply-configuration refuses BundleDeployments with a ServiceAccount, because another user applies what it computes"
	ofMetrics  = "the server of the metrics authenticates and authorizes its clients; apply-configuration serves none"
	ofPulls    = "where images are pulled from; apply-configuration gets the content of images as input"
	ofStarting = "only a process that keeps running elects a leader and names its Pod in Events; apply-configuration does neither"
)

// undeclared are the requests that are intentionally not declared for OpenShift Manager, because apply-configuration does not send them.
var undeclared = []Exemption{
	{"create subjectaccessreviews.authorization.k8s.io in the whole cluster", ofMetrics, ""},
	{"create tokenreviews.authentication.k8s.io in the whole cluster", ofMetrics, ""},
	{`get configmaps "extension-apiserver-authentication" in namespace kube-system`, ofMetrics, ""},
	{`list configmaps "extension-apiserver-authentication" in namespace kube-system`, ofMetrics, "an informer of client authorities"},
	{`watch configmaps "extension-apiserver-authentication" in namespace kube-system`, ofMetrics, "an informer of client authorities"},
	{"get infrastructures.config.openshift.io in the whole cluster", ofStarting, ""},
	{"create leases.coordination.k8s.io in namespace openshift-platform-operators", ofStarting, ""},
	{"get leases.coordination.k8s.io in namespace openshift-platform-operators", ofStarting, ""},
	{"update leases.coordination.k8s.io in namespace openshift-platform-operators", ofStarting, ""},
	{"get replicasets.apps in namespace openshift-platform-operators", ofStarting, ""},
	{"list imagedigestmirrorsets.config.openshift.io in the whole cluster", ofPulls, "the informer of imagedigestmirrorsets"},
	{"watch imagedigestmirrorsets.config.openshift.io in the whole cluster", ofPulls, "the informer of imagedigestmirrorsets"},
	{"list imagetagmirrorsets.config.openshift.io in the whole cluster", ofPulls, "the informer of imagetagmirrorsets"},
	{"watch imagetagmirrorsets.config.openshift.io in the whole cluster", ofPulls, "the informer of imagetagmirrorsets"},
	{"list images.config.openshift.io in the whole cluster", ofPulls, "the informer of images"},
	{"watch images.config.openshift.io in the whole cluster", ofPulls, "the informer of images"},
	{"list clusterimagepolicies.config.openshift.io in the whole cluster", ofPulls, "the informer of clusterimagepolicies"},
	{"watch clusterimagepolicies.config.openshift.io in the whole cluster", ofPulls, "the informer of clusterimagepolicies"},
	{"list imagepolicies.config.openshift.io in the whole cluster", ofPulls, "the informer of imagepolicies"},
	{"watch imagepolicies.config.openshift.io in the whole cluster", ofPulls, "the informer of imagepolicies"},
	{"list imagecontentsourcepolicies.operator.openshift.io in the whole cluster", ofPulls, "the informer of imagecontentsourcepolicies"},
	{"watch imagecontentsourcepolicies.operator.openshift.io in the whole cluster", ofPulls, "the informer of imagecontentsourcepolicies"},
	{"list imagepolicies.config.openshift.io in some namespace", beforeNamespaces, ""},
	{"get configmaps in namespace openshift-config", ofPulls, ""},
	{"impersonate serviceaccounts in some namespace", ofScoped, ""},
	{"impersonate userextras.authentication.k8s.io/platform.openshift.io/bundledeployment in the whole cluster", ofScoped, ""},
}

const beforeNamespaces = "before the manager deletes a namespace, it lists the objects of users in it; with --input-dir, input-resources declares them for the namespaces that bundles have"

// undeclaredRights are the rights in roles for bundles that are intentionally not in the static part of the declarations.
var undeclaredRights = []Exemption{
	{"ClusterRole platform-operators-bundles-registryv1: list persistentvolumeclaims", beforeNamespaces, ""},
	{"ClusterRole platform-operators-bundles-registryv1: list daemonsets.apps", beforeNamespaces, ""},
	{"ClusterRole platform-operators-bundles-registryv1: list statefulsets.apps", beforeNamespaces, ""},
	{"ClusterRole platform-operators-bundles-registryv1: list cronjobs.batch", beforeNamespaces, ""},
	{"ClusterRole platform-operators-bundles-registryv1: list jobs.batch", beforeNamespaces, ""},
}

// TestCLU_P5_TheManagerDeclaresWhatItReadsAndWrites compares what the manager declares for OpenShift Manager with its requests in all suites.
func TestCLU_P5_TheManagerDeclaresWhatItReadsAndWrites(t *testing.T) {
	if *traces == "" {
		t.Skip("this test needs the traces of the scenarios, integration and end-to-end suites; `make test` runs it after them, with -traces")
	}
	shipped, err := ReadShippedRoles(manifests)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := ReadTraces(*traces)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range CompareDeclared(declarations(declaredresources.Table(), undeclared, undeclaredRights), shipped, trace) {
		t.Error(problem)
	}
}

func TestTheDeclaredResourcesOfBundlesAreThoseOfTheRoles(t *testing.T) {
	shipped, err := ReadShippedRoles(manifests)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range compareBundles(declaredresources.Table(), shipped, undeclaredRights) {
		t.Error(problem)
	}
}

// usedTrace returns a trace in which each declared resource is used, and nothing else. Each name is read and written.
func usedTrace(declared []declaredresources.Resource, eventNamespaces []string) Trace {
	trace := Trace{}
	for _, each := range declared {
		request := Request{Verb: "list", Resource: resourceName(each.Group, each.Resource), Namespace: each.Namespace, By: anyBinding}
		for _, name := range append(slices.Clone(each.Names), "")[:max(1, len(each.Names))] {
			request.Verb, request.Name = "list", name
			trace[request]++
			if each.Writes {
				request.Verb = "update"
				trace[request]++
			}
		}
	}
	for _, each := range eventNamespaces {
		trace[Request{Verb: "create", Resource: "events", Namespace: each, By: "RoleBinding any"}]++
	}
	return trace
}

const anyBinding = "ClusterRoleBinding any"

func TestCompareDeclaredFindsDifferences(t *testing.T) {
	shipped, err := ReadShippedRoles(manifests)
	if err != nil {
		t.Fatal(err)
	}
	var own, bundles declaredresources.Resource
	for _, each := range declaredresources.Table() {
		switch each.Resource {
		case "bundles":
			own = each
		case "priorityclasses":
			bundles = each
		}
	}
	bundleDeployment := Request{Verb: "delete", Resource: "bundledeployments.core.rukpak.io", By: "ClusterRoleBinding platform-operators-manager"}
	for name, test := range map[string]struct {
		change   func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource
		exempt   []Exemption
		rights   []Exemption
		problems []string
	}{
		"none": {},
		"an own request that is not declared": {
			change: func(table []declaredresources.Resource, _ Trace) []declaredresources.Resource {
				return slices.DeleteFunc(table, func(each declaredresources.Resource) bool { return each.Resource == "bundles" })
			},
			problems: []string{"list bundles.core.rukpak.io in the whole cluster: is not declared as an input"},
		},
		"a write of what is declared for reading only": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				trace[bundleDeployment]++
				for i := range table {
					table[i].Writes = table[i].Writes && table[i].Resource != "bundledeployments"
				}
				return table
			},
			problems: []string{
				"delete bundledeployments.core.rukpak.io in the whole cluster: is not declared as an output", "update bundledeployments.core.rukpak.io in the whole cluster: is not declared as an output",
			},
		},
		"a declared read that no request is": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				delete(trace, Request{Verb: "list", Resource: "subscriptions.operators.coreos.com", By: anyBinding})
				return table
			},
			problems: []string{"read subscriptions.operators.coreos.com (packages that OLM has installed): no request did"},
		},
		"a declared write that no request is": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				delete(trace, Request{Verb: "update", Resource: resourceName(own.Group, own.Resource), By: anyBinding})
				return table
			},
			problems: []string{"write bundles.core.rukpak.io"},
		},
		"a declared name that only writes of another name use": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				delete(trace, Request{Verb: "update", Resource: "provisionerclasses.core.rukpak.io", Name: "core-rukpak-io-plain", By: anyBinding})
				return table
			},
			problems: []string{`write provisionerclasses.core.rukpak.io "core-rukpak-io-plain" (created when they are missing): no request did`},
		},
		"a declared name that nothing reads": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				delete(trace, Request{Verb: "list", Resource: "clusteroperators.config.openshift.io", Name: "kube-apiserver", By: anyBinding})
				return table
			},
			problems: []string{`read clusteroperators.config.openshift.io "kube-apiserver"`},
		},
		"a list of all objects reads each declared name": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				for _, name := range []string{"kube-apiserver", "platform-operators-aggregated"} {
					delete(trace, Request{Verb: "list", Resource: "clusteroperators.config.openshift.io", Name: name, By: anyBinding})
				}
				trace[Request{Verb: "list", Resource: "clusteroperators.config.openshift.io", By: anyBinding}]++
				return table
			},
		},
		"a status that is written of another name than the declared one": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				trace[Request{Verb: "update", Resource: "clusteroperators.config.openshift.io/status", Name: "kube-apiserver", By: anyBinding}]++
				return table
			},
			problems: []string{`update clusteroperators.config.openshift.io/status "kube-apiserver" in the whole cluster: is not declared as an output`},
		},
		"a write of an object whose name the trace does not have": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				trace[Request{Verb: "create", Resource: "clusteroperators.config.openshift.io", By: anyBinding}]++
				return table
			},
			problems: []string{"create clusteroperators.config.openshift.io in the whole cluster: is not declared as an output"},
		},
		"an own read of a resource that only bundles have": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				table = slices.DeleteFunc(table, func(each declaredresources.Resource) bool {
					return each.Resource == "secrets" && each.Namespace == Namespace
				})
				maps.DeleteFunc(trace, func(each Request, _ int) bool { return each.Resource == "secrets" && each.Namespace == Namespace })
				trace[Request{Verb: "get", Resource: "secrets", Namespace: Namespace, By: anyBinding}]++
				return table
			},
			problems: []string{"get secrets in namespace openshift-platform-operators: is not declared as an input"},
		},
		"a resource of bundles that nothing writes": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				delete(trace, Request{Verb: "update", Resource: "priorityclasses.scheduling.k8s.io", By: anyBinding})
				return table
			},
			problems: []string{"write priorityclasses.scheduling.k8s.io with label core.rukpak.io/owner-kind=BundleDeployment (objects of bundles): no request did"},
		},
		"CustomResourceDefinitions that are declared for reading only": {
			change: func(table []declaredresources.Resource, _ Trace) []declaredresources.Resource {
				for i := range table {
					table[i].Writes = table[i].Writes && table[i].Resource != "customresourcedefinitions"
				}
				return table
			},
			problems: bundleProblems("customresourcedefinitions.apiextensions.k8s.io: a role for bundles permits it, but pkg/declaredresources does not declare the resource as an output",
				"create", "delete", "patch", "update"),
		},
		"a namespace of Events without Events": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				delete(trace, Request{Verb: "create", Resource: "events", Namespace: "default", By: "RoleBinding any"})
				return table
			},
			problems: []string{"create Events in namespace default: no request did"},
		},
		"a resource of bundles that is not declared": {
			change: func(table []declaredresources.Resource, _ Trace) []declaredresources.Resource {
				return slices.DeleteFunc(table, func(each declaredresources.Resource) bool { return each.Resource == bundles.Resource })
			},
			problems: bundleProblems("priorityclasses.scheduling.k8s.io: a role for bundles permits it", "create", "delete", "get", "list", "patch", "update", "watch"),
		},
		"a resource of bundles that no role permits": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				added := bundles
				added.Resource = "nothings"
				trace[Request{Verb: "list", Resource: "nothings.scheduling.k8s.io", By: anyBinding}]++
				trace[Request{Verb: "update", Resource: "nothings.scheduling.k8s.io", By: anyBinding}]++
				return append(table, added)
			},
			problems: []string{
				"nothings.scheduling.k8s.io: is declared as an input of bundles, but no role", "nothings.scheduling.k8s.io: is declared as an output of bundles, but no role",
			},
		},
		"an exemption that is not needed": {
			exempt: []Exemption{{Subject: "get leases", Why: "of old"}}, problems: []string{"get leases: the exemption is not needed"},
		},
		"an exemption of a right that is not needed": {
			rights:   []Exemption{{Subject: "ClusterRole platform-operators-bundles-registryv1: list services", Why: "of old"}},
			problems: []string{"ClusterRole platform-operators-bundles-registryv1: list services: the exemption is not needed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			table := declaredresources.Table()
			trace := usedTrace(table, declaredresources.EventNamespaces())
			if test.change != nil {
				table = test.change(table, trace)
			}
			got := CompareDeclared(declarations(table, test.exempt, slices.Concat(undeclaredRights, test.rights)), shipped, trace)
			if len(got) != len(test.problems) {
				t.Fatalf("got %q, want %q", got, test.problems)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], test.problems[i]) {
					t.Errorf("got %q, want %q", got[i], test.problems[i])
				}
			}
		})
	}
}

// bundleProblems returns the beginnings of the problems of compareBundles for some rights, of which each has the text after its verb.
func bundleProblems(text string, verbs ...string) (problems []string) {
	for _, verb := range verbs {
		problems = append(problems, "ClusterRole platform-operators-bundles-registryv1: "+verb+" "+text)
	}
	return problems
}

func TestARightOfBundlesThatIsNotDeclaredNeedsAnExemption(t *testing.T) {
	shipped, err := ReadShippedRoles(manifests)
	if err != nil {
		t.Fatal(err)
	}
	got := compareBundles(declaredresources.Table(), shipped, undeclaredRights[1:])
	if len(got) != 1 || !strings.HasPrefix(got[0], undeclaredRights[0].Subject+": a role for bundles permits it") {
		t.Errorf("got %q", got)
	}
}

func TestKeepsName(t *testing.T) {
	table := declaredresources.Table()
	for _, test := range []struct {
		resource, namespace, name string
		isRead, want              bool
	}{
		{"clusteroperators.config.openshift.io", "", "platform-operators-aggregated", false, true},
		{"clusteroperators.config.openshift.io", "", "another", false, true}, // because only objects with names are declared
		{"clusteroperators.config.openshift.io", "", "another", true, true},
		{"provisionerclasses.core.rukpak.io", "", "another", false, true},
		{"provisionerclasses.core.rukpak.io", "", "another", true, false}, // because all of them are declared as inputs
		{"provisionerclasses.core.rukpak.io", "", "core-rukpak-io-plain", true, true},
		{"clusterroles.rbac.authorization.k8s.io", "", "platform-operators:namespace-check", false, true},
		{"clusterroles.rbac.authorization.k8s.io", "", "of-a-bundle", false, false},
		{"configmaps", Namespace, "platformoperatormanager-limits", false, true},
		{"configmaps", "memo", "platformoperatormanager-limits", false, false},
		{"bundles.core.rukpak.io", "", "memo", false, false},
		{"nodes", "", "memo", true, false},
	} {
		if got := keepsName(table, schema.ParseGroupResource(test.resource), test.namespace, test.name, test.isRead); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
}

func declarations(table []declaredresources.Resource, undeclared, undeclaredRights []Exemption) Declarations {
	return Declarations{Resources: table, EventNamespaces: declaredresources.EventNamespaces(), Undeclared: undeclared, UndeclaredRights: undeclaredRights}
}
