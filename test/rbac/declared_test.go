package rbac

import (
	"slices"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/declaredresources"
)

const (
	ofMetrics  = "the server of the metrics authenticates and authorizes its clients; apply-configuration serves none"
	ofStarting = "only a process that keeps running elects a leader and names its Pod in Events; apply-configuration does neither"
)

// undeclared are the requests that are intentionally not declared for OpenShift Manager, because apply-configuration does not send them.
var undeclared = []Exemption{
	{"create subjectaccessreviews.authorization.k8s.io in the whole cluster", ofMetrics, false},
	{"create tokenreviews.authentication.k8s.io in the whole cluster", ofMetrics, false},
	{`get configmaps "extension-apiserver-authentication" in namespace kube-system`, ofMetrics, false},
	{`list configmaps "extension-apiserver-authentication" in namespace kube-system`, ofMetrics, true},
	{`watch configmaps "extension-apiserver-authentication" in namespace kube-system`, ofMetrics, false},
	{"get infrastructures.config.openshift.io in the whole cluster", ofStarting, false},
	{"create leases.coordination.k8s.io in namespace openshift-platform-operators", ofStarting, false},
	{"get leases.coordination.k8s.io in namespace openshift-platform-operators", ofStarting, false},
	{"update leases.coordination.k8s.io in namespace openshift-platform-operators", ofStarting, false},
	{"get replicasets.apps in namespace openshift-platform-operators", ofStarting, false},
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
	for _, problem := range CompareDeclared(declaredresources.Table(), declaredresources.EventNamespaces(), shipped, trace, undeclared) {
		t.Error(problem)
	}
}

func TestTheDeclaredResourcesOfBundlesAreThoseOfTheRoles(t *testing.T) {
	shipped, err := ReadShippedRoles(manifests)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range compareBundles(declaredresources.Table(), shipped) {
		t.Error(problem)
	}
}

// usedTrace returns a trace in which each declared resource is used, and nothing else.
func usedTrace(declared []declaredresources.Resource, eventNamespaces []string) Trace {
	trace := Trace{}
	for _, each := range declared {
		request := Request{Verb: "list", Resource: resourceName(each.Group, each.Resource), Namespace: each.Namespace, By: "ClusterRoleBinding any"}
		trace[request]++
		if each.Writes {
			request.Verb = "update"
			trace[request]++
		}
	}
	for _, each := range eventNamespaces {
		trace[Request{Verb: "create", Resource: "events", Namespace: each, By: "RoleBinding any"}]++
	}
	return trace
}

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
		problems []string
	}{
		"none": {},
		"an own request that is not declared": {
			change: func(table []declaredresources.Resource, _ Trace) []declaredresources.Resource {
				return slices.DeleteFunc(table, func(each declaredresources.Resource) bool { return each.Resource == "bundles" })
			},
			problems: []string{"list bundles.core.rukpak.io in the whole cluster: is not declared"},
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
				"delete bundledeployments.core.rukpak.io in the whole cluster: is not declared", "update bundledeployments.core.rukpak.io in the whole cluster: is not declared",
			},
		},
		"a declared read that no request is": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				delete(trace, Request{Verb: "list", Resource: "subscriptions.operators.coreos.com", By: "ClusterRoleBinding any"})
				return table
			},
			problems: []string{"read subscriptions.operators.coreos.com (packages that OLM has installed): no request did"},
		},
		"a declared write that no request is": {
			change: func(table []declaredresources.Resource, trace Trace) []declaredresources.Resource {
				delete(trace, Request{Verb: "update", Resource: resourceName(own.Group, own.Resource), By: "ClusterRoleBinding any"})
				return table
			},
			problems: []string{"write bundles.core.rukpak.io"},
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
			problems: []string{"priorityclasses.scheduling.k8s.io: a role for bundles permits it"},
		},
		"a resource of bundles that no role permits": {
			change: func(table []declaredresources.Resource, _ Trace) []declaredresources.Resource {
				added := bundles
				added.Resource = "nothings"
				return append(table, added)
			},
			problems: []string{"nothings.scheduling.k8s.io: is declared as a resource of bundles"},
		},
		"an exemption that is not needed": {
			exempt: []Exemption{{Subject: "get leases", Why: "of old"}}, problems: []string{"get leases: the exemption is not needed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			table := declaredresources.Table()
			trace := usedTrace(table, declaredresources.EventNamespaces())
			if test.change != nil {
				table = test.change(table, trace)
			}
			got := CompareDeclared(table, declaredresources.EventNamespaces(), shipped, trace, test.exempt)
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
