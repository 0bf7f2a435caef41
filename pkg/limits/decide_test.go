package limits

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

type spec = operatorv1alpha1.PlatformOperatorManagerSpec

var (
	open      = spec{}
	limited   = spec{AllowedPackages: []string{"quay", "acme-*"}, DefaultApproval: platformv1alpha1.ApprovalManual}
	stricter  = spec{AllowedPackages: []string{"quay"}, DefaultApproval: platformv1alpha1.ApprovalManual, CatalogNamespaces: []string{"mine"}}
	different = spec{AllowedPackages: []string{"other"}, DefaultApproval: platformv1alpha1.ApprovalManual}
	half      = spec{AllowedPackages: []string{"quay", "acme-*"}}
)

func known(uid types.UID, spec spec) Stored {
	return Stored{Namespace: "ns", Record: &Record{UID: uid, Limits: Of(spec)}}
}

func manager(uid types.UID, spec spec) *operatorv1alpha1.PlatformOperatorManager {
	return &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: "cluster", UID: uid}, Spec: spec}
}

// created sets the creation time of a PlatformOperatorManager, in seconds since the Unix epoch, and returns the PlatformOperatorManager.
func created(manager *operatorv1alpha1.PlatformOperatorManager, second int64) *operatorv1alpha1.PlatformOperatorManager {
	manager.CreationTimestamp = metav1.Unix(second, 0)
	return manager
}

func accepting(manager *operatorv1alpha1.PlatformOperatorManager, value string) *operatorv1alpha1.PlatformOperatorManager {
	manager.Annotations = map[string]string{"platform.openshift.io/accept-limits": value}
	return manager
}

func TestHRD_S3_LimitsOutliveThePlatformOperatorManager(t *testing.T) {
	const (
		back   = `kubectl patch platformoperatormanager cluster --type merge -p "$(kubectl get configmap platformoperatormanager-limits -n ns -o jsonpath='{.data.patch}')"`
		accept = "kubectl annotate platformoperatormanager cluster platform.openshift.io/accept-limits=true"
	)
	unknown := Stored{Namespace: "ns"}
	missing := Stored{Namespace: "ns", FirstInstallation: time.Unix(100, 0)}
	unreadable := Stored{Namespace: "ns", Fault: errors.New("data.uid is empty")}
	for sentence, test := range map[string]struct {
		stored  Stored
		present *operatorv1alpha1.PlatformOperatorManager
		holds   []string // parts of the message of Decision.Hold; none if nothing is held
		kept    bool     // the current limits become the Record
	}{
		"nothing is known, and there is none":                     {unknown, nil, []string{"does not exist", "creates it at once"}, false},
		"nothing is known of limits before":                       {unknown, manager("a", limited), nil, true},
		"nothing is known, and nothing is limited":                {unknown, manager("a", open), nil, true},
		"it is as it was":                                         {known("a", limited), manager("a", limited), nil, false},
		"it is as it was, without limits":                         {known("a", open), manager("a", open), nil, false},
		"an edit lifts limits":                                    {known("a", limited), manager("a", open), nil, true},
		"an edit sets limits":                                     {known("a", open), manager("a", limited), nil, true},
		"an edit empties a list":                                  {known("a", open), manager("a", spec{AllowedPackages: []string{}}), nil, true},
		"it was deleted, and limited nothing":                     {known("a", open), nil, nil, false},
		"it was deleted while it limited":                         {known("a", limited), nil, []string{"spec.allowedPackages, spec.defaultApproval", back, accept}, false},
		"the new one limits nothing, as the old one":              {known("a", open), manager("b", open), nil, true},
		"the new one limits, and the old one did not":             {known("a", open), manager("b", limited), nil, true},
		"the new one limits nothing":                              {known("a", limited), manager("b", open), []string{"spec.allowedPackages, spec.defaultApproval", back, accept}, false},
		"the new one limits the same":                             {known("a", limited), manager("b", limited), nil, true},
		"the new one limits more":                                 {known("a", limited), manager("b", stricter), nil, true},
		"the new one limits otherwise":                            {known("a", limited), manager("b", different), []string{"permits more (spec.allowedPackages)"}, false},
		"the new one has one limit of two":                        {known("a", limited), manager("b", half), []string{"permits more (spec.defaultApproval)"}, false},
		"the new one limits nothing, which is accepted":           {known("a", limited), accepting(manager("b", open), "true"), nil, true},
		"the new one limits otherwise, which is accepted":         {known("a", limited), accepting(manager("b", different), "true"), nil, true},
		"another value accepts nothing":                           {known("a", limited), accepting(manager("b", open), "yes"), []string{accept}, false},
		"an annotation that was needed once changes nothing":      {known("b", open), accepting(manager("b", open), "true"), nil, false},
		"the annotation of a deleted one accepts nothing":         {known("b", limited), manager("c", open), []string{accept}, false},
		"what was limited cannot be read, and there is none":      {unreadable, nil, []string{"data.uid is empty", accept}, false},
		"what was limited cannot be read":                         {unreadable, manager("a", limited), []string{`ConfigMap "platformoperatormanager-limits" in namespace "ns"`, "data.uid is empty", accept}, false},
		"what was limited cannot be read, and that is accepted":   {unreadable, accepting(manager("a", limited), "true"), nil, true},
		"no record, and an installation is older":                 {missing, created(manager("b", open), 101), []string{`ConfigMap "platformoperatormanager-limits" in namespace "ns" does not exist`, accept}, false},
		"no record, and an installation is older than limits":     {missing, created(manager("b", limited), 101), []string{accept}, false},
		"no record, and an installation is older, accepted":       {missing, accepting(created(manager("b", open), 101), "true"), nil, true},
		"no record, and installations are younger":                {missing, created(manager("a", limited), 99), nil, true},
		"no record, and an installation in the same second":       {missing, created(manager("a", open), 100), nil, true},
		"no record, an installation, and no manager":              {missing, nil, []string{"does not exist", "creates it at once"}, false},
		"only what limits nothing is gone: an empty selector":     {known("a", spec{CatalogSelector: &metav1.LabelSelector{}}), manager("b", open), nil, true},
		"only what limits nothing is gone: approval is Automatic": {known("a", spec{DefaultApproval: "Automatic"}), manager("b", open), nil, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := Decide(test.stored, test.present)
			if (got.Hold != "") != (len(test.holds) > 0) {
				t.Fatalf("holds: %q", got.Hold)
			}
			for _, word := range test.holds {
				if !strings.Contains(got.Hold, word) {
					t.Errorf("does not say %s: %s", word, got.Hold)
				}
			}
			if (got.Record != nil) != test.kept {
				t.Fatalf("keeps %+v", got.Record)
			}
			if got.Record == nil {
				return
			}
			if diff := cmp.Diff(Record{UID: test.present.UID, Limits: Of(test.present.Spec)}, *got.Record); diff != "" {
				t.Errorf("keeps something else: %s", diff)
			}
			again := Decide(Stored{Namespace: "ns", Record: got.Record}, test.present)
			if again.Hold != "" || again.Record != nil {
				t.Errorf("once that is kept, it decides %+v", again)
			}
		})
	}
}

func TestWeaker(t *testing.T) {
	selector := func(labels map[string]string, requirements ...metav1.LabelSelectorRequirement) spec {
		return spec{CatalogSelector: &metav1.LabelSelector{MatchLabels: labels, MatchExpressions: requirements}}
	}
	gold := map[string]string{"tier": "gold"}
	in := func(values ...string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: values}
	}
	for sentence, test := range map[string]struct {
		former, present spec
		lost            string
	}{
		"a name that a glob allowed":                  {spec{AllowedPackages: []string{"a-*"}}, spec{AllowedPackages: []string{"a-b"}}, ""},
		"a name that no glob allowed":                 {spec{AllowedPackages: []string{"a-*"}}, spec{AllowedPackages: []string{"a-b", "b"}}, "spec.allowedPackages"},
		"a glob that might allow more":                {spec{AllowedPackages: []string{"a*"}}, spec{AllowedPackages: []string{"a-*"}}, "spec.allowedPackages"},
		"any glob, where everything was allowed":      {spec{AllowedPackages: []string{"*"}}, spec{AllowedPackages: []string{"a-*"}}, ""},
		"an empty list allows nothing more":           {spec{AllowedPackages: []string{"a"}}, spec{AllowedPackages: []string{}}, ""},
		"an item allows more than an empty list":      {spec{AllowedPackages: []string{}}, spec{AllowedPackages: []string{"a"}}, "spec.allowedPackages"},
		"no list allows more than an empty list":      {spec{AllowedPackages: []string{}}, open, "spec.allowedPackages"},
		"fewer namespaces":                            {spec{CatalogNamespaces: []string{"a", "b"}}, spec{CatalogNamespaces: []string{"b"}}, ""},
		"the same namespaces in another order":        {spec{CatalogNamespaces: []string{"a", "b"}}, spec{CatalogNamespaces: []string{"b", "a"}}, ""},
		"another namespace":                           {spec{CatalogNamespaces: []string{"a"}}, spec{CatalogNamespaces: []string{"b"}}, "spec.catalogNamespaces"},
		"the default namespace":                       {spec{CatalogNamespaces: []string{"a"}}, open, "spec.catalogNamespaces"},
		"one more requirement":                        {selector(gold), selector(map[string]string{"tier": "gold", "a": "b"}), ""},
		"the same requirement, said otherwise":        {selector(nil, in("gold", "silver")), selector(nil, in("silver", "gold")), ""},
		"another value":                               {selector(gold), selector(map[string]string{"tier": "iron"}), "spec.catalogSelector"},
		"no requirement":                              {selector(gold), spec{CatalogSelector: &metav1.LabelSelector{}}, "spec.catalogSelector"},
		"a selector that cannot be read, as it was":   {selector(map[string]string{"no label!": ""}), selector(map[string]string{"no label!": ""}), ""},
		"a selector that cannot be read, and another": {selector(gold), selector(map[string]string{"no label!": ""}), "spec.catalogSelector"},
		"approval by hand":                            {spec{DefaultApproval: "Manual"}, spec{DefaultApproval: "Manual"}, ""},
		"approval by nobody":                          {spec{DefaultApproval: "Manual"}, spec{DefaultApproval: "Automatic"}, "spec.defaultApproval"},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := strings.Join(weaker(Of(test.former), Of(test.present)), " "); got != test.lost {
				t.Errorf("lost: %q, want %q", got, test.lost)
			}
		})
	}
}
