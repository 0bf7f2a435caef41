package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/declaredresources"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

// kindOfBundles is a kind that the payload permits bundles to contain.
type kindOfBundles struct {
	kind string
	// fields are the fields of an object besides its apiVersion, kind and metadata, as YAML without braces.
	fields string
	// isNamespaced and isCustom say how the cluster serves the kind. Stories' clusters do not serve those that are isCustom.
	isNamespaced, isCustom bool
}

const (
	readsPods = "rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]"
	bindsTo   = "subjects: [{kind: ServiceAccount, name: default, namespace: default}], roleRef: {apiGroup: rbac.authorization.k8s.io, name: gallery-all, kind: "
)

// kindsOfBundles returns the kinds that the payload permits bundles to contain, keyed by the resource and its group.
func kindsOfBundles() map[string]kindOfBundles {
	return map[string]kindOfBundles{
		"certificates.cert-manager.io":                               {"Certificate", "spec: {secretName: a}", true, true},
		"clusterrolebindings.rbac.authorization.k8s.io":              {"ClusterRoleBinding", bindsTo + "ClusterRole}", false, false},
		"clusterroles.rbac.authorization.k8s.io":                     {"ClusterRole", readsPods, false, false},
		"configmaps":                                                 {"ConfigMap", "data: {a: b}", true, false},
		"consoleclidownloads.console.openshift.io":                   {"ConsoleCLIDownload", "spec: {displayName: a}", false, true},
		"consolelinks.console.openshift.io":                          {"ConsoleLink", "spec: {text: a}", false, true},
		"consoleplugins.console.openshift.io":                        {"ConsolePlugin", "spec: {displayName: a}", false, true},
		"consolequickstarts.console.openshift.io":                    {"ConsoleQuickStart", "spec: {displayName: a}", false, true},
		"consoleyamlsamples.console.openshift.io":                    {"ConsoleYAMLSample", "spec: {title: a}", false, true},
		"deployments.apps":                                           {"Deployment", "spec: {replicas: 0, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: samples.invalid/a}]}}}", true, false},
		"issuers.cert-manager.io":                                    {"Issuer", "spec: {selfSigned: {}}", true, true},
		"mutatingwebhookconfigurations.admissionregistration.k8s.io": {"MutatingWebhookConfiguration", "webhooks: []", false, false},
		"namespaces":                             {"Namespace", "", false, false},
		"networkpolicies.networking.k8s.io":      {"NetworkPolicy", "spec: {podSelector: {matchLabels: {a: b}}, policyTypes: [Egress]}", true, false},
		"poddisruptionbudgets.policy":            {"PodDisruptionBudget", "spec: {maxUnavailable: 1, selector: {matchLabels: {a: b}}}", true, false},
		"podmonitors.monitoring.coreos.com":      {"PodMonitor", "spec: {podMetricsEndpoints: [{port: a}], selector: {matchLabels: {a: b}}}", true, true},
		"priorityclasses.scheduling.k8s.io":      {"PriorityClass", "value: 5", false, false},
		"prometheusrules.monitoring.coreos.com":  {"PrometheusRule", "spec: {groups: [{name: a, rules: [{alert: A, expr: vector(1)}]}]}", true, false},
		"rolebindings.rbac.authorization.k8s.io": {"RoleBinding", bindsTo + "Role}", true, false},
		"roles.rbac.authorization.k8s.io":        {"Role", readsPods, true, false},
		"secrets":                                {"Secret", "stringData: {a: b}", true, false},
		"serviceaccounts":                        {"ServiceAccount", "", true, false},
		"servicemonitors.monitoring.coreos.com":  {"ServiceMonitor", "spec: {endpoints: [{port: a}], selector: {matchLabels: {a: b}}}", true, false},
		"services":                               {"Service", "spec: {selector: {a: b}, ports: [{port: 80}]}", true, false},
		"validatingwebhookconfigurations.admissionregistration.k8s.io": {"ValidatingWebhookConfiguration", "webhooks: []", false, false},
		"verticalpodautoscalers.autoscaling.k8s.io":                    {"VerticalPodAutoscaler", "spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}", true, true},
	}
}

// manifest returns the manifest of an object of the kind. namespace is ignored for a cluster-scoped kind.
func (k kindOfBundles) manifest(version schema.GroupVersion, namespace, name string) string {
	metadata, fields := "name: "+name, ""
	if k.isNamespaced {
		metadata += ", namespace: " + namespace
	}
	if k.fields != "" {
		fields = ", " + k.fields
	}
	return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {%s}%s}", version, k.kind, metadata, fields)
}

// defineKind creates the CustomResourceDefinition of a kind.
func (s *Story) defineKind(ctx context.Context, resource schema.GroupVersionResource, kind kindOfBundles) {
	s.Helper()
	scope := "Cluster"
	if kind.isNamespaced {
		scope = "Namespaced"
	}
	definition := s.parse(definitions, "CustomResourceDefinition", fmt.Sprintf(`{metadata: {name: %[1]s, annotations: {api-approved.kubernetes.io: "https://github.com/kubernetes/kubernetes/pull/63797"}},
		spec: {group: %[2]s, scope: %[3]s, names: {kind: %[4]s, listKind: %[4]sList, plural: %[5]s, singular: %[6]s}, versions: [
		{name: %[7]s, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`,
		resource.GroupResource(), resource.Group, scope, kind.kind, resource.Resource, strings.ToLower(kind.kind), resource.Version))
	_, err := s.Admin.Dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
	s.must(err)
}

// TestEachKindOfBundlesIsManaged applies an object of each kind that the payload permits bundles to contain, and shows that the manager needs
// each verb of its role for bundles on each of them. test/rbac compares the role with the requests.
func TestEachKindOfBundlesIsManaged(t *testing.T) {
	t.Parallel()
	runStory(t, "[CLU-P5] an object of each kind is created, taken over and deleted", defaultOperators, func(ctx context.Context, s *Story) {
		const name, object = "gallery", "gallery-all"
		kinds := kindsOfBundles()
		clients, manifests := map[schema.GroupVersionResource]dynamic.ResourceInterface{}, []string(nil)
		for _, each := range declaredresources.Table() {
			if !each.OfBundles {
				continue
			}
			kind, isKnown := kinds[each.GroupResource().String()]
			s.Expect(isKnown).To(BeTrue(), "kindsOfBundles lacks %s", each.GroupResource())
			if kind.isCustom {
				s.defineKind(ctx, each.GroupVersionResource, kind)
			}
			manifests = append(manifests, kind.manifest(each.GroupVersion(), name, object))
			clients[each.GroupVersionResource] = s.Admin.Dynamic.Resource(each.GroupVersionResource)
			if kind.isNamespaced {
				clients[each.GroupVersionResource] = s.Admin.Dynamic.Resource(each.GroupVersionResource).Namespace(name)
			}
		}
		s.Expect(clients).To(HaveLen(len(kinds)), "kindsOfBundles has kinds that are not declared")
		// Informers list only if the API server refuses a streaming watch. The manager starts again, so that all of them list.
		s.KillManager()
		s.Inject(scenario.Fault{Match: func(r scenario.Request) bool {
			return r.User == managerUser && r.Verb == "watch" && slices.Contains(strings.Fields(r.Options), "sendInitialEvents")
		}, Times: scenario.Always, Effect: scenario.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, 0)})
		s.StartManager()
		s.deployWithClass(ctx, plainClass, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", Plain: true}, manifests...))
		s.waitUntilSettled(ctx, name)

		s.By("adding the owner reference that rukpak used")
		live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.must(err)
		patch := fmt.Appendf(nil, `{"metadata":{"ownerReferences":[{"apiVersion":%q,"kind":"BundleDeployment","name":%q,"uid":%q}]}}`, corev1alpha2.SchemeGroupVersion, name, live.UID)
		for _, each := range clients {
			_, err := each.Patch(ctx, object, types.MergePatchType, patch, metav1.PatchOptions{})
			s.must(err)
		}
		for resource, each := range clients {
			s.Eventually(func(ctx context.Context) (*unstructured.Unstructured, error) {
				return each.Get(ctx, object, metav1.GetOptions{})
			}).WithContext(ctx).Should(
				WithTransform((*unstructured.Unstructured).GetOwnerReferences, BeEmpty()), resource.String())
		}

		s.By("removing it")
		s.undeploy(ctx, name)
		s.Settle() // Namespaces are deleted last
		for resource, each := range clients {
			_, err := each.Get(ctx, object, metav1.GetOptions{})
			s.Expect(err).To(beNotFound(), resource.String())
		}

		if s.rounds != nil {
			return // a round reads its input directory
		}
		unsent := map[string]bool{}
		for resource := range clients {
			for _, verb := range bundle.Verbs {
				unsent[verb+" "+resource.GroupResource().String()] = true
			}
		}
		for _, each := range slices.Concat(s.Requests(), s.Watches()) {
			if each.User == managerUser && !each.IsFaulted {
				delete(unsent, strings.Replace(each.Verb, "apply", "patch", 1)+" "+each.Resource.String())
			}
		}
		s.Expect(unsent).To(BeEmpty(), "the manager did not need these verbs")
	})
}
