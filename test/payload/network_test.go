package payload

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

var networkRules = []rule{
	// Promise CLU-P4: Network policies deny the manager's Pods all traffic except metrics for OpenShift's monitoring, DNS, and outgoing
	// TCP.
	{"CLU-P4 all traffic is denied except metrics in, and DNS and TCP out", networkPolicies},
}

// connection describes traffic that a policy allows, as in "to anywhere TCP 6443".
type connection = string

func networkPolicies(p *payload) []string {
	denied := false
	allowed := map[connection]bool{}
	violations := allTyped(p, "NetworkPolicy", func(o object, np networkingv1.NetworkPolicy) (violations []string) {
		spec := np.Spec
		expect(&violations, np.Namespace == namespace, "%s: has namespace %q", o, np.Namespace)
		ingress := slices.Contains(spec.PolicyTypes, networkingv1.PolicyTypeIngress)
		egress := slices.Contains(spec.PolicyTypes, networkingv1.PolicyTypeEgress)
		if len(spec.PodSelector.MatchLabels)+len(spec.PodSelector.MatchExpressions) == 0 {
			expect(&violations, len(spec.Ingress)+len(spec.Egress) == 0, "%s: allows traffic for every pod of the namespace", o)
			denied = denied || ingress && egress
			return violations
		}
		expect(&violations, selectsManager(p, spec.PodSelector), "%s: does not select the Deployment's pods", o)
		for _, rule := range spec.Ingress {
			expect(&violations, ingress, "%s: has ingress rules, and policyTypes does not include Ingress", o)
			addConnections(allowed, "from", rule.From, rule.Ports)
		}
		for _, rule := range spec.Egress {
			expect(&violations, egress, "%s: has egress rules, and policyTypes does not include Egress", o)
			addConnections(allowed, "to", rule.To, rule.Ports)
		}
		return violations
	})
	expect(&violations, denied, "no policy denies every pod ingress and egress")
	want := []connection{
		"from openshift-monitoring TCP 8443",
		"to anywhere TCP",
		"to anywhere TCP 6443",
		"to openshift-dns TCP dns-tcp",
		"to openshift-dns UDP dns",
	}
	got := slices.Sorted(maps.Keys(allowed))
	expect(&violations, slices.Equal(got, want), "the policies allow %q, want %q", got, want)
	return violations
}

func selectsManager(p *payload, selector metav1.LabelSelector) bool {
	parsed, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(p.ofKind("Deployment"), func(o object) bool {
		podLabels := labels.Set{}
		for key, value := range nestedMap(o, "spec", "template", "metadata", "labels") {
			podLabels[key], _ = value.(string)
		}
		return parsed.Matches(podLabels)
	})
}

func nestedMap(o object, fields ...string) map[string]any {
	result, _ := nested(o.Obj, fields...).(map[string]any)
	return result
}

func addConnections(allowed map[connection]bool, direction string, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) {
	names := []string{"anywhere"}
	if len(peers) > 0 {
		names = nil
	}
	for _, peer := range peers {
		name := "elsewhere" // only namespaces selected by name are expected
		if peer.NamespaceSelector != nil && peer.PodSelector == nil && peer.IPBlock == nil && len(peer.NamespaceSelector.MatchLabels) == 1 {
			name = peer.NamespaceSelector.MatchLabels[corev1.LabelMetadataName]
		}
		names = append(names, name)
	}
	if len(ports) == 0 {
		ports = []networkingv1.NetworkPolicyPort{{}}
	}
	for _, name := range names {
		for _, port := range ports {
			c := direction + " " + name
			if port.Protocol != nil {
				c += " " + string(*port.Protocol)
			}
			if port.Port != nil {
				c += " " + port.Port.String()
			}
			allowed[c] = true
		}
	}
}
