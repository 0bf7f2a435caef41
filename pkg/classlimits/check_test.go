package classlimits_test

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/classlimits"
)

// spec returns the spec of a class with limits of every kind.
func spec() corev1alpha2.ProvisionerClassSpec {
	return corev1alpha2.ProvisionerClassSpec{
		AllowedSources: &corev1alpha2.AllowedSources{
			Types: []corev1alpha2.SourceType{corev1alpha2.SourceTypeImage},
			Image: corev1alpha2.AllowedImages{Registries: []string{"quay.io/team", "docker.io"}},
		},
		ServiceAccount:    corev1alpha2.ServiceAccountRequired,
		AllowedNamespaces: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}},
		Limits:            &corev1alpha2.ClassLimits{BundleBytes: 1000, Objects: 10},
	}
}

// allowed returns a request that a class with this spec allows.
func allowed() classlimits.Request {
	return classlimits.Request{
		SourceType: corev1alpha2.SourceTypeImage, Image: "quay.io/team/memo:v1", ServiceAccount: "deployer",
		Namespace: &classlimits.Namespace{Name: "memo", Exists: true, Labels: map[string]string{"team": "a", "more": "x"}},
	}
}

func TestEachLimitRefusesWithItsNameAndARemedy(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*classlimits.Request)
		limit  classlimits.Limit
		value  string
		want   string
	}{
		"nothing that is limited": {change: func(*classlimits.Request) {}},
		"a source type": {
			func(r *classlimits.Request) { r.SourceType = corev1alpha2.SourceTypeBundle }, classlimits.SourceType, "bundle",
			`ProvisionerClass "mine" does not allow source type "bundle": its allowedSources.types has image; change spec.source.type, set spec.provisionerClassName to another class, or ask a cluster admin to change the class`,
		},
		"the source type of a Bundle": {
			func(r *classlimits.Request) { r.From, r.SourceType = classlimits.Bundle, "git" }, classlimits.SourceType, "git",
			`ProvisionerClass "mine" does not allow source type "git": its allowedSources.types has image; delete the Bundle and create it again with another spec.source.type or another spec.provisionerClassName, or ask a cluster admin to change the class`,
		},
		"a registry": {
			func(r *classlimits.Request) {
				r.Image = "registry.example:5000/team/memo@sha256:" + strings.Repeat("a", 64)
			}, classlimits.Registry, "registry.example:5000/team/memo",
			`ProvisionerClass "mine" does not allow images of repository "registry.example:5000/team/memo": its allowedSources.image.registries has docker.io, quay.io/team; change spec.source, set spec.provisionerClassName to another class, or ask a cluster admin to change the class`,
		},
		"the registry of a PlatformOperator's bundle": {
			func(r *classlimits.Request) { r.From, r.Image = classlimits.PlatformOperator, "quay.io/other/memo" }, classlimits.Registry, "quay.io/other/memo",
			`ProvisionerClass "mine" does not allow images of repository "quay.io/other/memo": its allowedSources.image.registries has docker.io, quay.io/team; choose another version or another package, or ask a cluster admin to change the class`,
		},
		"an image that is not known yet": {change: func(r *classlimits.Request) { r.Image = "" }},
		"an invalid reference":           {change: func(r *classlimits.Request) { r.Image = "not an image!" }},
		"no ServiceAccount": {
			func(r *classlimits.Request) { r.ServiceAccount = "" }, classlimits.ServiceAccount, "",
			`ProvisionerClass "mine" requires a ServiceAccount: its serviceAccount is Required, and spec.serviceAccountName is not set; set spec.serviceAccountName to a ServiceAccount of the install namespace, or ask a cluster admin to change the class`,
		},
		"a Bundle, which has no ServiceAccount and no namespace": {change: func(r *classlimits.Request) { r.From, r.ServiceAccount, r.Namespace = classlimits.Bundle, "", nil }},
		"a namespace with other labels": {
			func(r *classlimits.Request) { r.Namespace.Labels = map[string]string{"team": "b"} }, classlimits.InstallNamespace, "memo",
			`ProvisionerClass "mine" does not allow install namespace "memo": its allowedNamespaces requires labels that match "team=a"; ask a cluster admin to set these labels on the namespace, or to change the class`,
		},
		"a namespace that does not exist": {
			func(r *classlimits.Request) { r.Namespace = &classlimits.Namespace{Name: "memo"} }, classlimits.InstallNamespace, "memo",
			`ProvisionerClass "mine" does not allow install namespace "memo": its allowedNamespaces requires labels that match "team=a", and the namespace does not exist; create the namespace with these labels, or ask a cluster admin to change the class`,
		},
		"too many bytes": {
			func(r *classlimits.Request) { _ = errors.As(classlimits.Sizes{Bytes: 1000}.CheckBytes(1001), &r.Size) }, classlimits.BundleBytes, "more than 1000",
			`ProvisionerClass "mine" does not allow the bundle: the unpacked files of the bundle have more than 1000 bytes, and its limits.bundleBytes is 1000; change spec.source, set spec.provisionerClassName to another class, or ask a cluster admin to change the class`,
		},
		"too many objects": {
			func(r *classlimits.Request) { _ = errors.As(classlimits.Sizes{Objects: 10}.CheckObjects(11), &r.Size) }, classlimits.Objects, "11",
			`ProvisionerClass "mine" does not allow the bundle: the bundle renders to 11 objects, and its limits.objects is 10; change spec.source, set spec.provisionerClassName to another class, or ask a cluster admin to change the class`,
		},
		"several, of which the first counts": {
			change: func(r *classlimits.Request) { r.SourceType, r.ServiceAccount = corev1alpha2.SourceTypeBundle, "" },
			limit:  classlimits.SourceType, value: "bundle", want: "does not allow source type",
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := allowed()
			c.change(&request)
			got := classlimits.Check(classlimits.Class{Name: "mine", Spec: spec()}, request)
			if c.limit == "" {
				if got != nil {
					t.Errorf("refused: %v", got)
				}
				return
			}
			if got == nil {
				t.Fatal("it is allowed")
			}
			if got.Class != "mine" || got.Limit != c.limit || got.Value != c.value || !strings.Contains(got.Error(), c.want) {
				t.Errorf("got %s of %s: %q: %v\nwant %s %q: %s", got.Limit, got.Class, got.Value, got, c.limit, c.value, c.want)
			}
			if got := classlimits.Check(classlimits.Class{Name: "free"}, request); got != nil && request.Size == nil {
				t.Errorf("a class without limits refuses: %v", got)
			}
		})
	}
}

func TestARegistryIsAHostWithAnOptionalPath(t *testing.T) {
	const image = "quay.io/team/memo:v1"
	for _, c := range []struct {
		image, entry string
		want         bool
	}{
		{image, "quay.io", true},
		{image, "quay.io/team", true},
		{image, "quay.io/team/memo", true},
		{image, "quay.io/te", false},
		{image, "quay.io/team/memo/more", false},
		{image, "io", false},
		{image, "quay.io:443", false},
		{"QUAY.io/team/memo", "quay.io", true},
		{"sub.quay.io/team/memo", "quay.io", false},
		{"quay.io.example.com/team/memo", "quay.io", false},
		{"quay.io:5000/team/memo", "quay.io", false},
		{"quay.io:5000/team/memo", "quay.io:5000/team", true},
		{"quay.io/teammate/memo", "quay.io/team", false},
		{"evil.example.com/quay.io/team/memo", "quay.io/team", false},
		{"memo", "docker.io", true},
		{"memo", "docker.io/library", true},
		{"team/memo", "index.docker.io/team", true},
		{"docker.io/team/memo", "index.docker.io", true},
		{"docker.io/team/memo", "quay.io", false},
		{"[::1]:5000/memo", "[::1]:5000", true},
	} {
		class := classlimits.Class{Name: "mine", Spec: corev1alpha2.ProvisionerClassSpec{AllowedSources: &corev1alpha2.AllowedSources{Image: corev1alpha2.AllowedImages{Registries: []string{c.entry}}}}}
		got := classlimits.Check(class, classlimits.Request{Image: c.image})
		if (got == nil) != c.want {
			t.Errorf("%s in %s: %v, want allowed: %t", c.image, c.entry, got, c.want)
		}
	}
}

func TestASelectorThatIsNotValidAllowsNoNamespace(t *testing.T) {
	class := classlimits.Class{Name: "mine", Spec: corev1alpha2.ProvisionerClassSpec{AllowedNamespaces: &metav1.LabelSelector{MatchLabels: map[string]string{"not a label!": ""}}}}
	got := classlimits.Check(class, classlimits.Request{Namespace: &classlimits.Namespace{Name: "memo", Exists: true}})
	if got == nil || got.Limit != classlimits.InstallNamespace || !strings.Contains(got.Error(), "ask a cluster admin to correct the selector of the class") {
		t.Errorf("got %v", got)
	}
}

func TestALongListIsShortened(t *testing.T) {
	var many []string
	for _, each := range strings.Split("abcdefghij", "") {
		many = append(many, each+".example.com")
	}
	class := classlimits.Class{Name: "mine", Spec: corev1alpha2.ProvisionerClassSpec{AllowedSources: &corev1alpha2.AllowedSources{Image: corev1alpha2.AllowedImages{Registries: many}}}}
	if got := classlimits.Check(class, classlimits.Request{Image: "quay.io/memo"}); got == nil || !strings.Contains(got.Error(), "h.example.com and 2 more;") {
		t.Errorf("got %v", got)
	}
}

func TestSizesOfAClass(t *testing.T) {
	if got := (classlimits.Class{}).Sizes(); got != (classlimits.Sizes{}) || got.CheckBytes(1<<40) != nil || got.CheckObjects(1<<30) != nil {
		t.Errorf("a class without limits has %+v", got)
	}
	sizes := classlimits.Class{Spec: spec()}.Sizes()
	if sizes.CheckBytes(1000) != nil || sizes.CheckObjects(10) != nil {
		t.Error("what is exactly as large as the limit is refused")
	}
}
