package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/openshift/platform-operators/test/environment"
)

// comparedFields has, by kind that the specs change, the field of the objects that is compared. If it is empty, only the existence of
// objects is compared.
var comparedFields = map[schema.GroupVersionResource]string{
	{Group: "platform.openshift.io", Version: "v1alpha1", Resource: "platformoperators"}:            "spec",
	{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "bundledeployments"}:                   "spec",
	{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "bundles"}:                             "spec",
	{Group: "core.rukpak.io", Version: "v1alpha2", Resource: "provisionerclasses"}:                  "spec",
	{Group: "operator.openshift.io", Version: "v1alpha1", Resource: "platformoperatormanagers"}:     "spec",
	{Group: "config.openshift.io", Version: "v1", Resource: "clusteroperators"}:                     "status",
	{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}:                "spec",
	{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}:                 "spec",
	{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}:           "",
	{Version: "v1", Resource: "namespaces"}:                                                         "",
	{Version: "v1", Resource: "serviceaccounts"}:                                                    "",
	{Version: "v1", Resource: "services"}:                                                           "",
	{Version: "v1", Resource: "configmaps"}:                                                         "",
	{Group: "apps", Version: "v1", Resource: "deployments"}:                                         "",
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}:                   "",
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"}:            "",
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}:                          "",
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"}:                   "",
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"}:                        "",
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}: "",
}

// readState returns the compared field of every object of these kinds in the cluster, by "resource namespace/name".
func readState(t *testing.T, env *environment.Environment) map[string]string {
	t.Helper()
	client, err := dynamic.NewForConfig(env.Admin)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for resource, part := range comparedFields {
		list, err := client.Resource(resource).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range list.Items {
			found[fmt.Sprintf("%s %s/%s", resource.Resource, object.GetNamespace(), object.GetName())] = comparedText(t, object, part)
		}
	}
	return found
}

func comparedText(t *testing.T, object unstructured.Unstructured, part string) string {
	t.Helper()
	if part == "" {
		return "exists"
	}
	if conditions, ok, _ := unstructured.NestedSlice(object.Object, "status", "conditions"); ok && part == "status" {
		for _, condition := range conditions {
			delete(condition.(map[string]any), "lastTransitionTime")
		}
		unstructured.SetNestedSlice(object.Object, conditions, "status", "conditions")
	}
	text, err := json.Marshal(object.Object[part])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// specPrefix begins the names of the objects that specs create.
const specPrefix = "ote-"

// settledState returns the cluster's state once it no longer changes, and no longer names objects of specs that have run. The ClusterOperator names
// a removed PlatformOperator for a moment, and a version for which a new manager works.
func settledState(t *testing.T, env *environment.Environment) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	var last map[string]string
	for {
		state := readState(t, env)
		isSteady := maps.Equal(last, state)
		last = state
		leftover := ""
		for name, text := range state {
			if strings.Contains(text, specPrefix) {
				leftover = name + " " + text
			}
		}
		if leftover == "" && isSteady {
			return state
		}
		select {
		case <-ctx.Done():
			if leftover == "" {
				return state // the test compares it with the state after the specs
			}
			t.Fatalf("an object of a spec remains: %s", leftover)
		case <-ticker.C:
		}
	}
}

// expectRestored waits until the cluster's state equals that before the specs. After a minute it fails the test.
func expectRestored(t *testing.T, env *environment.Environment, before map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		diff := cmp.Diff(before, readState(t, env))
		if diff == "" {
			return
		}
		select {
		case <-ctx.Done():
			t.Errorf("the specs did not restore the cluster's state (-before +after):\n%s", diff)
			return
		case <-ticker.C:
		}
	}
}
