package apply_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/scenario"
)

// The objects of two versions. Server-side apply refuses the Deployment, because two variables have one name.
const (
	definition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: memos.example.com}, spec: {group: example.com, scope: Namespaced,
		names: {kind: Memo, listKind: MemoList, plural: memos, singular: memo},
		versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`
	account    = `{apiVersion: v1, kind: ServiceAccount, metadata: {name: memo, namespace: memo}}`
	settings   = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: memo}, data: {from: bundle, version: %q}}`
	obsolete   = `{apiVersion: v1, kind: ConfigMap, metadata: {name: obsolete, namespace: memo}, data: {from: bundle}}`
	deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: memo, namespace: memo}, spec: {selector: {matchLabels: {app: memo}},
		template: {metadata: {labels: {app: memo}}, spec: {containers: [{name: main, image: "samples.invalid/memo:%s", env: [{name: A, value: a}, {name: A, value: b}]}]}}}}`
	custom = `{apiVersion: example.com/v1, kind: Memo, metadata: {name: first, namespace: memo}, spec: {size: 1}}`
)

func versionOne(t *testing.T) *apply.Set {
	return setOf(t, definition, account, fmt.Sprintf(settings, "1"), obsolete, fmt.Sprintf(deployment, "1"), custom)
}

func versionTwo(t *testing.T) *apply.Set {
	return setOf(t, definition, account, fmt.Sprintf(settings, "2"), fmt.Sprintf(deployment, "2"), custom)
}

// steps are the steps of the engine on a cluster, in their order. before, if it is not nil, has the changes of other clients before the
// step.
var steps = []struct {
	name   string
	before func(f *fixture)
	run    func(f *fixture) []error
}{
	{
		name: "the first time",
		before: func(f *fixture) {
			f.create(namespaces, `{apiVersion: v1, kind: Namespace, metadata: {name: users}}`)
			f.create(configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: users}, data: {from: users}}`)
		},
		run: func(f *fixture) []error { return f.apply(versionOne(f.t), apply.Options{Gated: true}) },
	},
	{
		name: "unchanged, after a restart",
		run:  func(f *fixture) []error { return f.apply(versionOne(f.t), apply.Options{Trusted: true}) },
	},
	{
		name: "after others changed and deleted objects",
		before: func(f *fixture) {
			f.patch(configMaps, "settings", `{"data":{"from":"somebody"}}`)
			f.patch(deployments, "memo", `{"spec":{"template":{"metadata":{"labels":{"app":"memo","added":"by-somebody"}},"spec":{"serviceAccountName":"somebody"}}}}`)
			f.delete(configMaps, "obsolete")
		},
		run: func(f *fixture) []error { return f.apply(versionOne(f.t), apply.Options{Trusted: true}) },
	},
	{
		name: "another version, and what only the old one has is pruned",
		run: func(f *fixture) []error {
			old, next := versionOne(f.t), versionTwo(f.t)
			return append(f.apply(next, apply.Options{Gated: true, Applied: []*apply.Set{old}}), f.prune(old, next)...)
		},
	},
	{
		name: "a removal",
		run:  func(f *fixture) []error { return f.remove(versionTwo(f.t)) },
	},
}

// make test-long sets everyFault. A choice of each request's faults takes a third of the time.
var everyFault = flag.Bool("every-fault", false, "inject each fault into each request; without it, two of them, others for the next request")

// faults are the effects of a fault on a request, by name.
var faults = map[string]scenario.Effect{
	"conflict":      scenario.Refuse(http.StatusConflict, metav1.StatusReasonConflict, 0),
	"timeout":       scenario.Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0),
	"forbidden":     scenario.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0),
	"lost request":  scenario.LoseRequest(nil),
	"lost response": scenario.LoseResponse(nil),
}

// faultsOf returns the names of the faults to inject into the request with this index.
func faultsOf(index int) []string {
	names := slices.Sorted(maps.Keys(faults))
	if *everyFault {
		return names
	}
	return []string{names[index%len(names)], names[(index+2)%len(names)]}
}

// TestWhateverRequestFailsTheEngineConverges injects faults into each request of each step. The engine converges to the same objects as
// without the fault, and its errors name the object.
func TestWhateverRequestFailsTheEngineConverges(t *testing.T) {
	var from *scenario.Snapshot
	for _, step := range steps {
		var want map[string]string
		var sent []scenario.Request
		start, after := from, from
		synctest.Test(t, func(t *testing.T) {
			if step.before != nil {
				start = on(t, from, func(f *fixture) { step.before(f) })
			}
		})
		synctest.Test(t, func(t *testing.T) {
			after = on(t, start, func(f *fixture) {
				if problems := step.run(f); slices.ContainsFunc(problems, isFault) {
					t.Errorf("%s: without a fault: %v", step.name, problems)
				}
				sent = distinct(f.cluster.Requests())
				want = f.state()
			})
		})
		if t.Failed() {
			return
		}
		t.Run(step.name, func(t *testing.T) {
			for index, request := range sent {
				for _, fault := range faultsOf(index) {
					if fault == "lost response" && request.Verb == "watch" {
						continue // a watch has no single response
					}
					t.Run(fault+" of "+identify(request), func(t *testing.T) {
						t.Parallel()
						synctest.Test(t, func(t *testing.T) {
							on(t, start, func(f *fixture) {
								injection := f.cluster.Inject(scenario.Fault{Match: isLike(request), Effect: faults[fault]})
								problems := step.run(f)
								if len(injection.Applied()) == 0 {
									t.Error("the request was not sent")
								}
								for _, problem := range problems {
									if subject := subjectOf(request); isFault(problem) && !strings.Contains(problem.Error(), subject) {
										t.Errorf("%q does not name %q", problem, subject)
									}
								}
								got, want := f.state(), maps.Clone(want)
								if fault == "forbidden" && isNamespaceCheck(request) {
									// A namespace that cannot be checked is kept for its users to delete, unless the manager can have
									// the permission, and checks again.
									maps.DeleteFunc(got, isInNamespace)
								}
								if diff := cmp.Diff(want, got); diff != "" {
									t.Errorf("another state than without the fault (-want +got):\n%s", diff)
								}
							})
						})
					})
				}
			}
		})
		from = after
	}
}

// isNamespaceCheck reports whether a request lists objects of other owners in the install namespace.
func isNamespaceCheck(request scenario.Request) bool {
	return request.Verb == "list" && request.Namespace == "memo"
}

// isInNamespace reports whether an object of a state is the install namespace, or is in it.
func isInNamespace(object, _ string) bool {
	return object == "namespaces /memo" || strings.Contains(object, " memo/")
}

// isFault reports whether a problem is an injected fault, and not a reason to wait without faults.
func isFault(problem error) bool {
	text := problem.Error()
	return strings.Contains(text, "injected fault") || strings.Contains(text, "connection reset")
}

// kinds maps the resources of steps to their kinds.
var kinds = map[string]string{
	"clusterroles": "ClusterRole", "configmaps": "ConfigMap", "customresourcedefinitions": "CustomResourceDefinition",
	"deployments": "Deployment", "memos": "Memo", "namespaces": "Namespace", "serviceaccounts": "ServiceAccount",
}

// subjectOf returns the text by which an error must name the subject of a request. This is the object by kind, namespace and name, or the
// resource if the request has no object.
func subjectOf(request scenario.Request) string {
	resource := request.Resource.Resource
	switch {
	case request.Name == "platform-operators:namespace-check": // no object of a bundle
		return fmt.Sprintf("ClusterRole %q", request.Name)
	case request.Name != "":
		return apply.Key{GroupKind: schema.GroupKind{Kind: kinds[resource]}, Namespace: request.Namespace, Name: request.Name}.String()
	case resource == "": // a page of discovery
		return strings.TrimPrefix(strings.TrimPrefix(request.Path, "/apis/"), "/api/")
	case resource == "memos":
		return "Memo.example.com"
	case resource == "selfsubjectrulesreviews":
		return "asking whether the right to list"
	}
	return request.Resource.String()
}

// distinct returns the engine's requests without those that are like an earlier one.
func distinct(all []scenario.Request) []scenario.Request {
	var found []scenario.Request
	for _, request := range all {
		if request.User == engineUser && !slices.ContainsFunc(found, isLike(request)) {
			found = append(found, request)
		}
	}
	return found
}

func isLike(one scenario.Request) func(scenario.Request) bool {
	return func(other scenario.Request) bool { return other.User == engineUser && identify(other) == identify(one) }
}

func identify(r scenario.Request) string {
	if r.Resource.Resource == "" {
		return r.Verb + " " + r.Path
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Verb, r.Resource, r.Namespace+"/"+r.Name, r.Options))
}
