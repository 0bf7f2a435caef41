package ratcheting

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	bundleDeployment = `{"apiVersion": "core.rukpak.io/v1alpha2", "kind": "BundleDeployment", "metadata": {"name": "a"}, "spec":
		{"installNamespace": "a", "provisionerClassName": "a", "source": {"type": "image", "image": {"ref": "a"}}, "drift": {"ignore": [{"jsonPointers": ["/a"]}]}}}`
	bundle = `{"apiVersion": "core.rukpak.io/v1alpha2", "kind": "Bundle", "metadata": {"name": "a"}, "spec":
		{"provisionerClassName": "a", "source": {"type": "image", "image": {"ref": "a"}}}}`
	provisionerClass = `{"apiVersion": "core.rukpak.io/v1alpha2", "kind": "ProvisionerClass", "metadata": {"name": "a"}, "spec": {"provisioner": "a"}}`
	platformOperator = `{"apiVersion": "platform.openshift.io/v1alpha1", "kind": "PlatformOperator", "metadata": {"name": "a"}, "spec":
		{"package": {"name": "a"}, "install": {"namespace": "a"}}}`
	manager = `{"apiVersion": "operator.openshift.io/v1alpha1", "kind": "PlatformOperatorManager", "metadata": {"name": "cluster"}, "spec":
		{"managementState": "Managed", "allowedPackages": ["a"]}}`
)

// TestHRD_C1_AFormatIsExplained checks that a value with the wrong format is rejected with an explanation, and a valid one is
// accepted.
func TestHRD_C1_AFormatIsExplained(t *testing.T) {
	const label = "lower-case letters, digits"
	cases := []struct {
		object, field, message string
		valid, invalid         []string
	}{
		{bundleDeployment, `"installNamespace": "a"`, label, []string{"a-1"}, []string{"A", "-a", "a-", "a.b", `a\n`}},
		{bundleDeployment, `"provisionerClassName": "a"`, label, []string{"a-1"}, []string{"core.rukpak.io/plain"}},
		{bundleDeployment, `"jsonPointers": ["/a"`, "RFC 6901", []string{"/spec/replicas", "/a~1b/~0/", "//"}, []string{"a", "/a~2", "/~", "a/b"}},
		{bundle, `"provisionerClassName": "a"`, label, []string{"a-1"}, []string{"A"}},
		{provisionerClass, `"provisioner": "a"`, "DNS name", []string{"core.rukpak.io/plain", "example.com"}, []string{"a/", "/a", "a/b/c", "A"}},
		{platformOperator, `"name": "a"}, "install"`, label, []string{"cert-manager"}, []string{"../../etc", "Foo Bar!"}},
		{platformOperator, `"namespace": "a"`, label, []string{"a-1"}, []string{"Quay_1"}},
		{manager, `"allowedPackages": ["a"`, "globs", []string{"*", "acme-?", "[a-f]*", "[^a-f0]x"}, []string{"A", "[]", "[a", "a]", `a\\b`, "a/b"}},
	}
	run(t, shippedCRDs, func(c cluster) {
		for _, test := range cases {
			for i, value := range slices.Concat(test.valid, test.invalid) {
				written := strings.Replace(test.field, `"a"`, `"`+value+`"`, 1)
				if strings.Contains(test.field, `"/a"`) {
					written = strings.Replace(test.field, `"/a"`, `"`+value+`"`, 1)
				}
				object := &unstructured.Unstructured{}
				c.must(object.UnmarshalJSON([]byte(strings.Replace(test.object, test.field, written, 1))))
				_, err := c.resource(object).Create(c.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
				refused := err != nil && strings.Contains(err.Error(), test.message)
				if valid := i < len(test.valid); valid && err != nil || !valid && !refused {
					t.Errorf("%s: got %v", written, err)
				}
			}
		}
	})
}
