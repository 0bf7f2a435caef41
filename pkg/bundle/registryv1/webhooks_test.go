package registryv1_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

const (
	validating = "{type: ValidatingAdmissionWebhook, generateName: v.example.com, deploymentName: sample, sideEffects: None, admissionReviewVersions: [v1], " +
		"rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [samples]}]}"
	conversion = "{type: ConversionWebhook, generateName: c.example.com, deploymentName: sample, sideEffects: None, admissionReviewVersions: [v1], conversionCRDs: [samples.example.com]}"
)

// withWebhooks returns the sample's ClusterServiceVersion with webhooks, for all namespaces only.
func withWebhooks(definitions ...string) string {
	return csv("  - {type: OwnNamespace, supported: true}\n", "", "  install:\n", "  webhookdefinitions: ["+strings.Join(definitions, ", ")+"]\n  install:\n")
}

// TestENG_F6_InconsistentBundlesAreRefused covers the thirteen rules of OLM v1 for bundles, and the rules that the API server would check
// in the middle of an installation.
func TestENG_F6_InconsistentBundlesAreRefused(t *testing.T) {
	change := func(definition string, pairs ...string) string {
		return strings.NewReplacer(pairs...).Replace(definition)
	}
	cases := map[string]struct {
		csv  string
		want string
	}{
		"a deployment that is defined twice": {csv("      deployments:\n", "      deployments:\n      - {name: sample, spec: {}}\n"),
			`manifests/csv.yaml: deployment "sample" is defined twice in the install strategy; remove one`},
		"a deployment without a name": {csv("- name: sample\n", "- name: ''\n"),
			`manifests/csv.yaml: deployment name "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`},
		"a webhook of a deployment that is not there": {withWebhooks(change(validating, "deploymentName: sample", "deploymentName: other")),
			`manifests/csv.yaml: ValidatingAdmissionWebhook "v.example.com" is served by deployment "other", which the install strategy does not have; correct deploymentName, or add the deployment`},
		"two webhooks of one type with one name": {withWebhooks(validating, validating),
			`manifests/csv.yaml: ValidatingAdmissionWebhook "v.example.com" is defined twice; rename one`},
		"two webhooks whose names differ in what is cut off": {withWebhooks(validating, change(validating, "v.example.com", "v.example.com-")),
			`manifests/csv.yaml: ValidatingAdmissionWebhook "v.example.com-" is defined twice; rename one`},
		"a webhook's name that cannot be": {withWebhooks(change(conversion, "c.example.com", "C_d")),
			`manifests/csv.yaml: ConversionWebhook name "C_d": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`},
		"an admission webhook's name that is too short": {withWebhooks(change(validating, "v.example.com", "v.example")),
			`manifests/csv.yaml: ValidatingAdmissionWebhook name "v.example": should be a domain with at least three segments separated by dots`},
		"a rule for all groups": {withWebhooks(change(validating, "apiGroups: [example.com]", "apiGroups: ['*']")),
			`manifests/csv.yaml: ValidatingAdmissionWebhook "v.example.com" has a rule for API group "*", which webhooks of operators must not intercept; remove it from the rule`},
		"a rule for OLM's group": {withWebhooks(change(validating, "apiGroups: [example.com]", "apiGroups: [olm.operatorframework.io]")),
			`manifests/csv.yaml: ValidatingAdmissionWebhook "v.example.com" has a rule for API group "olm.operatorframework.io", which webhooks of operators must not intercept; remove it from the rule`},
		"a rule for our group": {withWebhooks(change(validating, "apiGroups: [example.com]", "apiGroups: [core.rukpak.io]")),
			`manifests/csv.yaml: ValidatingAdmissionWebhook "v.example.com" has a rule for API group "core.rukpak.io", which webhooks of operators must not intercept; remove it from the rule`},
		"a rule for webhook configurations": {withWebhooks(change(validating, "apiGroups: [example.com]", "apiGroups: [admissionregistration.k8s.io]", "[samples]", "[ValidatingWebhookConfigurations]")),
			`manifests/csv.yaml: ValidatingAdmissionWebhook "v.example.com" has a rule for resource "ValidatingWebhookConfigurations" of API group admissionregistration.k8s.io, which webhooks of operators must not intercept; remove it from the rule`},
		"conversion by an operator that can watch less than all namespaces": {change(withWebhooks(conversion), "installModes:\n", "installModes:\n  - {type: OwnNamespace, supported: true}\n"),
			`manifests/csv.yaml: an operator with conversion webhook "c.example.com" must support AllNamespaces and no other install mode; supported modes: AllNamespaces, OwnNamespace; correct spec.installModes`},
		"conversion of what the bundle does not own": {withWebhooks(change(conversion, "samples.example.com", "others.example.com")),
			`manifests/csv.yaml: conversion webhook "c.example.com" converts CustomResourceDefinition "others.example.com", which the bundle does not own; remove it from conversionCRDs`},
		"two conversions of one definition": {withWebhooks(conversion, change(conversion, "c.example.com", "a.example.com")),
			`manifests/csv.yaml: CustomResourceDefinition "samples.example.com" is converted by several webhooks (a.example.com, c.example.com); remove it from conversionCRDs of all but one`},
		"one conversion that names a definition twice": {withWebhooks(change(conversion, "[samples.example.com]", "[samples.example.com, samples.example.com]")),
			`manifests/csv.yaml: CustomResourceDefinition "samples.example.com" is converted by several webhooks (c.example.com, c.example.com); remove it from conversionCRDs of all but one`},
		"one port for two target ports": {withWebhooks(change(validating, "sideEffects", "targetPort: 9443, sideEffects"), change(conversion, "sideEffects", "targetPort: convert, sideEffects")),
			`manifests/csv.yaml: webhooks of deployment "sample" have port 443 with target ports 9443 and convert; give each its own containerPort`},
		"a webhook of no known type": {withWebhooks(change(validating, "ValidatingAdmissionWebhook", "Validating")),
			`manifests/csv.yaml: webhook "v.example.com": type "Validating" is not known; use ValidatingAdmissionWebhook, MutatingAdmissionWebhook or ConversionWebhook`},
		"a webhook without what the API server wants": {withWebhooks(change(validating, "sideEffects: None, admissionReviewVersions: [v1]", "containerPort: 70000")),
			`manifests/csv.yaml: webhook "v.example.com": admissionReviewVersions is empty; add v1; manifests/csv.yaml: webhook "v.example.com": containerPort 70000 is not a port number; use 1 to 65535; ` +
				`manifests/csv.yaml: webhook "v.example.com": sideEffects is required; use None or NoneOnDryRun`},
		"a conversion of nothing": {withWebhooks(change(conversion, "conversionCRDs: [samples.example.com]", "conversionCRDs: []")),
			`manifests/csv.yaml: webhook "c.example.com": conversionCRDs is empty; name the CustomResourceDefinitions whose objects it converts`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := registryv1.Load(sample(map[string]string{"manifests/csv.yaml": c.csv}))
			if err == nil {
				t.Fatalf("is loaded; want %s", c.want)
			}
			if diff := gocmp.Diff(`validating bundle "sample.v1.2.3": `+c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	beside := map[string]struct {
		files map[string]string
		want  string
	}{
		"conversion of objects with unknown fields": {
			map[string]string{"manifests/csv.yaml": withWebhooks(conversion), "manifests/crd.yaml": strings.Replace(crdYAML, "scope:", "preserveUnknownFields: true\n  scope:", 1)},
			`validating bundle "sample.v1.2.3": manifests/crd.yaml: CustomResourceDefinition "samples.example.com": spec.preserveUnknownFields must be false for objects to be converted by a webhook`,
		},
		"a definition that occurs twice": {
			map[string]string{"manifests/crd2.yaml": strings.Replace(crdYAML, "Namespaced", "Cluster", 1)},
			`validating bundle "sample.v1.2.3": CustomResourceDefinition "samples.example.com" is defined twice, in manifests/crd.yaml and in manifests/crd2.yaml; remove one`,
		},
		"a definition that is owned and not there": {
			map[string]string{"manifests/crd.yaml": ""},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml owns CustomResourceDefinition "samples.example.com", which no manifest defines; add it`,
		},
		"a package without a name": {
			map[string]string{"metadata/annotations.yaml": strings.Replace(annotationsYAML, "v1: sample", "v1: ''", 1)},
			`reading "metadata/annotations.yaml": annotation "operators.operatorframework.io.bundle.package.v1" is missing; add it with the package's name`,
		},
		"an object that may not be in bundles": {
			map[string]string{"manifests/a.yaml": "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}}"},
			`validating bundle "sample.v1.2.3": manifests/a.yaml: DaemonSet "a": registry+v1 bundles must not contain objects of kind DaemonSet (apps/v1); remove it`,
		},
	}
	for name, c := range beside {
		t.Run(name, func(t *testing.T) {
			if _, err := registryv1.Load(sample(c.files)); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestENG_F6_WebhooksRequireACertificateProvider(t *testing.T) {
	b := load(t, sample(map[string]string{"manifests/csv.yaml": withWebhooks(validating)}))
	if !b.RequiresCertificates() || load(t, sample(nil)).RequiresCertificates() {
		t.Error("what has webhooks needs certificates, and nothing else")
	}
	_, err := b.Render(bundle.Options{InstallNamespace: "ns"})
	want := `rendering bundle "sample.v1.2.3": its webhooks need certificates, and this cluster has neither OpenShift's service-ca nor cert-manager; install cert-manager, and the manager continues`
	if !errors.Is(err, bundle.ErrNoCertificates) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = b.Render(bundle.Options{InstallNamespace: "ns", Certificates: "vault"})
	if want := `rendering bundle "sample.v1.2.3": certificates by "vault" are not known; use "service-ca" or "cert-manager"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := load(t, sample(nil)).Render(bundle.Options{InstallNamespace: "ns"}); err != nil {
		t.Errorf("without webhooks: %v", err)
	}
}

// TestWebhooksOfRealBundlesAreReachable checks that each webhook's Service has the port and selects pods of a Deployment. The pods must
// have the certificate that is issued for the Service.
func TestWebhooksOfRealBundlesAreReachable(t *testing.T) {
	webhooks := map[bundle.CertificateProvider]int{}
	for _, dir := range realBundles(t) {
		if strings.HasPrefix(realOutcomes()[dir], "refused") {
			continue
		}
		b := realBundle(t, dir)
		for _, by := range []bundle.CertificateProvider{bundle.ServiceCA, bundle.CertManager} {
			_, objects, err := renderInSomeMode(b, by)
			if err != nil {
				t.Fatal(err)
			}
			n, err := unreachable(objects, b.Metadata().InstallNamespace(), by)
			if err != nil {
				t.Errorf("%s by %s: %v", shortName(dir), by, err)
			}
			webhooks[by] += n
		}
	}
	// The bundles define 259 webhooks; some convert more than one kind.
	want := map[bundle.CertificateProvider]int{bundle.ServiceCA: 263, bundle.CertManager: 263}
	if diff := gocmp.Diff(want, webhooks); diff != "" {
		t.Errorf("webhooks looked at (-want +got):\n%s", diff)
	}
}

// unreachable returns the number of webhooks among the objects, and an error if one of them cannot be called.
func unreachable(objects []unstructured.Unstructured, namespace string, by bundle.CertificateProvider) (int, error) {
	byName := map[string]unstructured.Unstructured{}
	for _, o := range objects {
		byName[o.GetKind()+"/"+o.GetName()] = o
	}
	webhooks := 0
	for _, o := range objects {
		var configs []any
		switch o.GetKind() {
		case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
			entries, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
			for _, e := range entries {
				configs = append(configs, e.(map[string]any)["clientConfig"])
			}
		case "CustomResourceDefinition":
			config, _, _ := unstructured.NestedMap(o.Object, "spec", "conversion", "webhook", "clientConfig")
			if called, _ := config["service"].(map[string]any); called["namespace"] == namespace {
				configs = append(configs, config)
			}
		}
		for _, c := range configs {
			webhooks++
			called := c.(map[string]any)["service"].(map[string]any)
			// The certificate provider writes caBundle; if the bundle declared it, the field would have two owners.
			if _, declared := c.(map[string]any)["caBundle"]; declared {
				return webhooks, fmt.Errorf("%s %q declares a caBundle", o.GetKind(), o.GetName())
			}
			if len(o.GetName()) > 63 && o.GetKind() != "CustomResourceDefinition" || len(called["name"].(string)) > 63 {
				return webhooks, fmt.Errorf("%s %q calls %q: a name is too long", o.GetKind(), o.GetName(), called["name"])
			}
			if err := served(byName, o, called, by); err != nil {
				return webhooks, fmt.Errorf("%s %q: %w", o.GetKind(), o.GetName(), err)
			}
		}
	}
	return webhooks, nil
}

func served(byName map[string]unstructured.Unstructured, caller unstructured.Unstructured, called map[string]any, by bundle.CertificateProvider) error {
	service, ok := byName["Service/"+called["name"].(string)]
	if !ok || service.GetNamespace() != called["namespace"] {
		return fmt.Errorf("Service %v is not rendered", called)
	}
	ports, _, _ := unstructured.NestedSlice(service.Object, "spec", "ports")
	found := false
	for _, p := range ports {
		found = found || p.(map[string]any)["port"] == called["port"]
	}
	if !found {
		return fmt.Errorf("Service %q has no port %v", service.GetName(), called["port"])
	}
	secret := service.GetAnnotations()["service.beta.openshift.io/serving-cert-secret-name"]
	annotations := caller.GetAnnotations()
	if by == bundle.CertManager {
		if secret != "" || annotations["service.beta.openshift.io/inject-cabundle"] != "" {
			return fmt.Errorf("requests a CA from service-ca, which is not the provider")
		}
		_, secret, _ = strings.Cut(annotations["cert-manager.io/inject-ca-from"], "/")
		certificate, ok := byName["Certificate/"+secret]
		made, _, _ := unstructured.NestedString(certificate.Object, "spec", "secretName")
		issuer, _, _ := unstructured.NestedString(certificate.Object, "spec", "issuerRef", "name")
		if _, issued := byName["Issuer/"+issuer]; !ok || made != secret || !issued {
			return fmt.Errorf("Certificate %q makes %q by Issuer %q", secret, made, issuer)
		}
	} else if annotations["service.beta.openshift.io/inject-cabundle"] != "true" {
		return fmt.Errorf("no CA is requested")
	}
	selector, _, _ := unstructured.NestedStringMap(service.Object, "spec", "selector")
	for _, o := range byName {
		labels, _, _ := unstructured.NestedStringMap(o.Object, "spec", "template", "metadata", "labels")
		if o.GetKind() == "Deployment" && subset(selector, labels) && mounts(o, secret) {
			return nil
		}
	}
	return fmt.Errorf("no Deployment has labels %v and the certificate %q", selector, secret)
}

func subset(some, all map[string]string) bool {
	for k, v := range some {
		if all[k] != v {
			return false
		}
	}
	return len(some) > 0
}

// mounts reports whether every container mounts a Secret at the paths from which webhook servers read their certificate.
func mounts(deployment unstructured.Unstructured, secret string) bool {
	volumes, _, _ := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "volumes")
	from := map[any]any{}
	for _, v := range volumes {
		name, _, _ := unstructured.NestedString(v.(map[string]any), "secret", "secretName")
		from[v.(map[string]any)["name"]] = name
	}
	containers, _, _ := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
	for _, c := range containers {
		list, _ := c.(map[string]any)["volumeMounts"].([]any)
		at := map[any]any{}
		for _, m := range list {
			at[m.(map[string]any)["mountPath"]] = from[m.(map[string]any)["name"]]
		}
		if at["/tmp/k8s-webhook-server/serving-certs"] != secret || at["/apiserver.local.config/certificates"] != secret {
			return false
		}
	}
	return secret != ""
}

func TestWebhookNamesAreStableAndValid(t *testing.T) {
	long := strings.Repeat("long-", 30) + "webhook.example.com"
	names := func(version, webhook, deployment string) []string {
		text := strings.NewReplacer("1.2.3", version, "v.example.com", webhook, "- name: sample\n", "- name: "+deployment+"\n", "deploymentName: sample", "deploymentName: "+deployment).
			Replace(withWebhooks(validating))
		var names []string
		for _, o := range renderWith(t, load(t, sample(map[string]string{"manifests/csv.yaml": text})), bundle.Options{Certificates: bundle.CertManager}) {
			switch o.GetKind() {
			case "Service", "Certificate", "Issuer", "ValidatingWebhookConfiguration":
				names = append(names, o.GetKind()+" "+o.GetName())
				if len(o.GetName()) > 63 {
					t.Errorf("%s %q has %d characters", o.GetKind(), o.GetName(), len(o.GetName()))
				}
			}
		}
		return names
	}
	for _, deployment := range []string{"sample", "with.dots", "3scale", strings.Repeat("long-", 40) + "name"} {
		old, next := names("1.2.3", long, deployment), names("1.3.0", long, deployment)
		if diff := gocmp.Diff(old, next); diff != "" || len(old) != 6 {
			t.Errorf("renamed by an upgrade (-old +next):\n%s", diff)
		}
		if other := names("1.2.3", long+"2", deployment+"2"); gocmp.Equal(old, other) {
			t.Errorf("what differs behind the cut shares the names %v", old)
		}
	}
	if one, two := names("1.2.3", "v.example.com", "a.b"), names("1.2.3", "v.example.com", "a-b"); one[0] == two[0] {
		t.Errorf("deployments a.b and a-b share %v", one)
	}
}
