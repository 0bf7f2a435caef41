package revision

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

// byHand returns a BundleDeployment that a user created, and the same one of a PlatformOperator.
func byHand() (users, operators *corev1alpha2.BundleDeployment) {
	users = &corev1alpha2.BundleDeployment{Spec: corev1alpha2.BundleDeploymentSpec{
		ProvisionerClassName: "its", Source: corev1alpha2.BundleSource{Image: &corev1alpha2.ImageSource{Ref: "r"}},
	}}
	operators, isController := users.DeepCopy(), true
	operators.OwnerReferences = []metav1.OwnerReference{{Kind: "PlatformOperator", Controller: &isController}}
	return users, operators
}

func TestHRD_M3_M6_RemedyOfAnInvalidBundleIsOneThatTheObjectHas(t *testing.T) {
	users, operators := byHand()
	ofBundle := users.DeepCopy()
	ofBundle.Spec.Source = corev1alpha2.BundleSource{Bundle: &corev1alpha2.BundleReference{Name: "b"}}
	broken := errors.New("no manifests")
	readable := fmt.Errorf("reading: %w", &bundle.FormatError{Actual: corev1alpha2.FormatPlainV0})
	unreadable := &bundle.FormatError{Actual: corev1alpha2.FormatPlainV0, ActualErr: broken}
	for name, c := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		invalid    error
		want       string
	}{
		"the image of a user's":                      {users, broken, ". Correct the bundle, and publish it as a new image. Name that image in spec.source.image.ref."},
		"the Bundle of a user's":                     {ofBundle, broken, " Create a Bundle of that image, and name it in spec.source.bundle.name."},
		"a PlatformOperator's":                       {operators, broken, ". Choose another version or another package, or ask the bundle's author to publish a corrected image."},
		"configured":                                 {users, &bundle.ConfigError{Err: broken}, "no manifests. Correct spec.config."},
		"an internal error":                          {users, &bundle.InternalError{Err: broken}, "no manifests."},
		"an internal error for a PlatformOperator":   {operators, &bundle.InternalError{Err: broken}, "no manifests."},
		"in a namespace that cannot be":              {users, fmt.Errorf("rendering: %w", bundle.CheckInstallNamespace("A")), " Delete the object, and create it again with the name of a namespace in spec.installNamespace."},
		"a PlatformOperator's in such a namespace":   {operators, bundle.CheckInstallNamespace("A"), " Delete the object, and create it again with the name of a namespace in spec.installNamespace."},
		"without certificates":                       {users, bundle.ErrNoCertificates, "install cert-manager, and the manager continues."},
		"of another format":                          {users, readable, `. Set spec.provisionerClassName to "core-rukpak-io-plain", the class that reads that format.`},
		"a PlatformOperator's of another format":     {operators, readable, "the format plain+v0 in the bundle's property olm.bundle.mediatype; ask the catalog's publisher to correct it."},
		"of another format, and bad":                 {users, unreadable, "no manifests. Correct the bundle, and publish it as a new image. Name that image in spec.source.image.ref."},
		"of a format that nobody reads":              {users, &bundle.FormatError{Actual: "helm"}, `reads only "". Use a registry+v1 or plain+v0 bundle.`},
		"a PlatformOperator's of another and bad":    {operators, unreadable, "ask the bundle's author to publish a corrected image."},
		"a PlatformOperator's that nobody's is like": {operators, &bundle.FormatError{Actual: "helm"}, `reads only "". Choose another version or another package, with a registry+v1 or plain+v0 bundle.`},
	} {
		t.Run(name, func(t *testing.T) {
			got := InvalidBundle(c.deployment, c.invalid)
			if !strings.HasSuffix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if c.deployment == operators && strings.Contains(got, "spec.provisionerClassName") {
				t.Errorf("names a field that a PlatformOperator does not have: %s", got)
			}
			if c.deployment != operators && (strings.Contains(got, "version") || strings.Contains(got, "package")) {
				t.Errorf("advice about a version or a package: %s", got)
			}
		})
	}
}

func TestHRD_M6_ClassProblemNamesTheFormatsThatAreRead(t *testing.T) {
	users, operators := byHand()
	class := func(provisioner string) *corev1alpha2.ProvisionerClass {
		return &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: "its"}, Spec: corev1alpha2.ProvisionerClassSpec{Provisioner: provisioner}}
	}
	const other = `set spec.provisionerClassName to "core-rukpak-io-registry" for registry+v1 bundles, or to "core-rukpak-io-plain" for plain+v0 bundles.`
	const helm = `Provisioner class "its" has provisioner "core.rukpak.io/helm", whose bundles this manager does not read: it reads registry+v1 bundles (provisioner "core.rukpak.io/registry") and plain+v0 bundles (provisioner "core.rukpak.io/plain"). `
	for name, c := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		class      *corev1alpha2.ProvisionerClass
		want       string
	}{
		"read here":                   {users, class(corev1alpha2.ProvisionerPlain), ""},
		"absent":                      {users, nil, `No provisioner class "its" on this cluster: nothing new is unpacked until there is one. Create it, or ` + other},
		"absent for an operator":      {operators, nil, `No provisioner class "its" on this cluster: nothing new is unpacked until the manager has created it again.`},
		"of helm":                     {users, class("core.rukpak.io/helm"), helm + "To use one of these, " + other},
		"replaced by one of somebody": {operators, class("core.rukpak.io/helm"), helm + "Delete the provisioner class; the manager creates it again."},
	} {
		if got := ClassProblem(c.deployment, c.class); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}
