package reconcile

import (
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

func TestRulesTarget(t *testing.T) {
	deployment := object.Key{Namespace: "n", Name: "memo"}
	deployment.Group, deployment.Kind = "apps", "Deployment"
	service := object.Key{Namespace: "n", Name: "memo"}
	service.Kind = "Service"
	cases := map[string]struct {
		target              corev1alpha2.DriftTarget
		deployment, service bool
	}{
		"nothing said selects all":                      {deployment: true, service: true},
		"a kind without a group is of the core group":   {target: corev1alpha2.DriftTarget{Kind: "Service"}, service: true},
		"a kind of another group":                       {target: corev1alpha2.DriftTarget{Kind: "Deployment"}},
		"a kind with its group":                         {target: corev1alpha2.DriftTarget{Group: "apps", Kind: "Deployment"}, deployment: true},
		"a group alone":                                 {target: corev1alpha2.DriftTarget{Group: "apps"}, deployment: true},
		"a name":                                        {target: corev1alpha2.DriftTarget{Name: "other"}},
		"a namespace":                                   {target: corev1alpha2.DriftTarget{Namespace: "n"}, deployment: true, service: true},
		"a namespace and a kind, of which one does not": {target: corev1alpha2.DriftTarget{Namespace: "m", Kind: "Service"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPolicy(corev1alpha2.Drift{Ignore: []corev1alpha2.DriftIgnore{{Target: c.target, JSONPointers: []string{"/spec"}}}})
			if got := p.ignored(deployment)["/spec"]; got != c.deployment {
				t.Errorf("the Deployment is targeted: %v", got)
			}
			if got := p.ignored(service)["/spec"]; got != c.service {
				t.Errorf("the Service is targeted: %v", got)
			}
		})
	}
}
