package plan

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// declared returns an object from YAML.
func declared(t testing.TB, text string) Object {
	t.Helper()
	content := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	return objectOf(t, content)
}

func objectOf(t testing.TB, content map[string]any) Object {
	t.Helper()
	o := unstructured.Unstructured{Object: content}
	encoded, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return Object{
		GroupVersionKind: o.GroupVersionKind(), Namespace: o.GetNamespace(), Name: o.GetName(), Digest: sha256.Sum256(encoded),
		IsKept: o.GetKind() == "CustomResourceDefinition", Content: func() map[string]any { return content },
	}
}

const (
	deployment1 = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: controller, namespace: memo}, spec: {replicas: 1, template: {spec: {containers: [{name: manager, image: "memo:1"}]}}}}`
	deployment2 = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: controller, namespace: memo}, spec: {replicas: 2, template: {spec: {containers: [{name: proxy, image: "proxy:1"}, {name: manager, image: "memo:2"}]}}}}`
	secret1     = `{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: memo}, data: {token: Zmlyc3Q=}}`
	secret2     = `{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: memo, annotations: {last-applied: Zmlyc3Q=}}, data: {token: c2Vjb25k}, stringData: {user: ada}}`
	configMap   = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: memo}, data: {a: b}}`
	definition  = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: memos.example.com}}`
	role        = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: memo}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}`
	binding     = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: memo}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: memo}, subjects: [{kind: ServiceAccount, name: controller, namespace: memo}]}`
	viewBinding = `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: view, namespace: memo}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{kind: Group, name: auditors}]}`
)

// objects returns the objects in YAML texts.
func objects(t testing.TB, texts ...string) []Object {
	t.Helper()
	var all []Object
	for _, each := range texts {
		all = append(all, declared(t, each))
	}
	return all
}

var terms = Terms{Deployment: "memo", InstallNamespace: "memo", Adoption: corev1alpha2.AdoptionSamePackage, CRDs: corev1alpha2.CRDsOrphan, CRDSafety: "Strict"}

func hidden(value string) string { return fmt.Sprintf("hidden%d", len(value)) }

func TestENG_P1_Text(t *testing.T) {
	plan := New(Input{
		Objects: objects(t, role, binding, viewBinding, deployment2, secret2, configMap), Active: objects(t, definition, deployment1, secret1,
			`{apiVersion: v1, kind: Service, metadata: {name: webhook, namespace: memo}}`),
		Terms: terms, Findings: []corev1alpha2.CRDFinding{{CRD: "memos.example.com", Rule: "enum", Path: "v1: .spec.color", Message: "a value is gone", Outcome: corev1alpha2.CRDFindingBlocking}},
	})
	want := []string{
		"digest " + plan.Digest,
		"BundleDeployment memo",
		"applied by the manager",
		"install namespace memo",
		"existing objects that may be taken over: SamePackage",
		"CustomResourceDefinitions when the BundleDeployment is deleted: Orphan",
		"check of changed CustomResourceDefinitions: Strict",
		"blocking change of CustomResourceDefinition memos.example.com by rule enum: v1: .spec.color a value is gone",
		`unlimited permissions: grants ClusterRole memo in the whole cluster to ServiceAccount memo/controller, with the rules [{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]`,
		"grants ClusterRole view in namespace memo to Group auditors, a role that the bundle does not declare",
		`create ClusterRole.rbac.authorization.k8s.io memo {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"memo"},"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]}`,
		`create ClusterRoleBinding.rbac.authorization.k8s.io memo {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"memo"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"memo"},"subjects":[{"kind":"ServiceAccount","name":"controller","namespace":"memo"}]}`,
		`create RoleBinding.rbac.authorization.k8s.io memo/view {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"view","namespace":"memo"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[{"kind":"Group","name":"auditors"}]}`,
		`create ConfigMap memo/settings {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","metadata":{"name":"settings","namespace":"memo"}}`,
		`update Deployment.apps memo/controller: /spec/replicas 1 -> 2; /spec/template/spec/containers/0 absent -> {"image":"proxy:1","name":"proxy"}; /spec/template/spec/containers/1/image "memo:1" -> "memo:2"`,
		`update Secret memo/token: /data/token "hidden8" -> "hidden8"; /metadata/annotations absent -> {"last-applied":"hidden8"}; /stringData absent -> {"user":"hidden3"}`,
		"delete Service memo/webhook",
		"keep CustomResourceDefinition.apiextensions.k8s.io memos.example.com, which the new revision does not declare",
	}
	if diff := cmp.Diff(want, slices.Collect(plan.Text(hidden, true))); diff != "" {
		t.Errorf("the text differs (-want +got):\n%s", diff)
	}
	unlimited := []string{"grants ClusterRole memo in the whole cluster to ServiceAccount memo/controller"}
	if diff := cmp.Diff(unlimited, plan.Summary().UnlimitedGrants); diff != "" {
		t.Errorf("unlimited grants in the summary (-want +got):\n%s", diff)
	}
	if len(plan.Grants) != 2 || !plan.Grants[0].IsUnlimited() || plan.Grants[1].IsUnlimited() {
		t.Errorf("grants: %+v", plan.Grants)
	}
}

// TestENG_P1_ANameCannotAddALine checks that a line feed in a name, which RBAC permits, does not begin a line of the text.
func TestENG_P1_ANameCannotAddALine(t *testing.T) {
	plan := New(Input{Terms: terms, Objects: objects(t,
		`{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: "a\ndelete b", namespace: memo},
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{kind: User, name: "c\ndelete d"}]}`)})
	for line := range plan.Text(hidden, true) {
		if strings.Contains(line, "\n") {
			t.Errorf("got a line feed in %q", line)
		}
	}
}

func TestENG_P1_TextOfACreatedSecret(t *testing.T) {
	plan := New(Input{Objects: objects(t, secret2), Terms: terms})
	text := strings.Join(slices.Collect(plan.Text(hidden, true)), "\n")
	if want := `create Secret memo/token {"apiVersion":"v1","data":{"token":"hidden8"},"kind":"Secret","metadata":{"annotations":{"last-applied":"hidden8"},"name":"token","namespace":"memo"},"stringData":{"user":"hidden3"}}`; !strings.HasSuffix(text, want) {
		t.Errorf("text:\n%s", text)
	}
	if got := declared(t, secret2).Content(); !cmp.Equal(plan.Create[0].Content(), got) {
		t.Errorf("the declaration was changed: %v", plan.Create[0].Content())
	}
	if text := strings.Join(slices.Collect(plan.Text(hidden, false)), "\n"); !strings.HasSuffix(text, fmt.Sprintf("create Secret memo/token (content sha256:%x)", plan.Create[0].Digest)) {
		t.Errorf("without content:\n%s", text)
	}
}

// TestENG_P1_Digest checks that each thing that the digest covers changes it, and that nothing else does.
func TestENG_P1_Digest(t *testing.T) {
	base := Input{Objects: objects(t, deployment2, configMap), Active: objects(t, deployment1, secret1, definition), Terms: terms}
	digest := New(base).Digest
	if !strings.HasPrefix(digest, "sha256:") || len(digest) != len("sha256:")+64 {
		t.Errorf("digest %q", digest)
	}
	with := func(change func(*Terms)) Input {
		changed := base
		change(&changed.Terms)
		return changed
	}
	for name, c := range map[string]struct {
		in      Input
		isEqual bool
	}{
		"the same":                            {base, true},
		"another order":                       {Input{Objects: objects(t, configMap, deployment2), Active: objects(t, definition, secret1, deployment1), Terms: terms}, true},
		"another former content of an object": {Input{Objects: base.Objects, Active: objects(t, deployment2, secret2, definition), Terms: terms}, true},
		"another object that is kept":         {Input{Objects: base.Objects, Active: objects(t, deployment1, secret1), Terms: terms}, true},
		"another object":                      {Input{Objects: objects(t, deployment2, configMap, role), Active: base.Active, Terms: terms}, false},
		"another content":                     {Input{Objects: objects(t, deployment1, configMap), Active: base.Active, Terms: terms}, false},
		"another object that is deleted":      {Input{Objects: base.Objects, Active: objects(t, deployment1, secret1, binding), Terms: terms}, false},
		"no object that is deleted":           {Input{Objects: base.Objects, Active: objects(t, deployment1), Terms: terms}, false},
		"another BundleDeployment":            {with(func(t *Terms) { t.Deployment = "other" }), false},
		"another namespace":                   {with(func(t *Terms) { t.InstallNamespace = "other" }), false},
		"another configuration":               {with(func(t *Terms) { t.Config = "sha256:1" }), false},
		"another ServiceAccount":              {with(func(t *Terms) { t.ServiceAccount = "deployer" }), false},
		"another UID":                         {with(func(t *Terms) { t.UID = "1" }), false},
		"another adoption":                    {with(func(t *Terms) { t.Adoption = corev1alpha2.AdoptionAny }), false},
		"another check of CRDs":               {with(func(t *Terms) { t.CRDSafety = "None" }), false},
		"a finding":                           {Input{Objects: base.Objects, Active: base.Active, Terms: terms, Findings: []corev1alpha2.CRDFinding{{CRD: "a"}}}, true},
		"another deletion of CRDs":            {with(func(t *Terms) { t.CRDs = corev1alpha2.CRDsDelete }), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := New(c.in).Digest; (got == digest) != c.isEqual {
				t.Errorf("digest %s, base %s", got, digest)
			}
		})
	}
}

// TestChanges lists declarations and the fields that differ.
func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		from, to string
		want     []string
	}{
		"nothing":                    {`{a: {b: [1, {c: 2}]}}`, `{a: {b: [1, {c: 2}]}}`, nil},
		"a value":                    {`{a: 1}`, `{a: 2}`, []string{"/a"}},
		"a type":                     {`{a: 1}`, `{a: {b: 1}}`, []string{"/a"}},
		"added and removed":          {`{a: 1}`, `{b: 1}`, []string{"/a", "/b"}},
		"a name with slash":          {`{"a/b~c": 1}`, `{"a/b~c": 2}`, []string{"/a~1b~0c"}},
		"items by index":             {`{a: [1, 2]}`, `{a: [1, 3, 4]}`, []string{"/a/1", "/a/2"}},
		"a named item that moves":    {`{a: [{name: x, v: 1}, {name: z}]}`, `{a: [{name: z}, {name: x, v: 2}]}`, []string{"/a/1/v"}},
		"a named item that is gone":  {`{a: [{name: x}, {name: z}]}`, `{a: [{name: z}]}`, []string{"/a/0"}},
		"two items with one name":    {`{a: [{name: x, v: 1}, {name: x, v: 2}]}`, `{a: [{name: x, v: 2}, {name: x, v: 2}]}`, []string{"/a/0/v"}},
		"an empty list":              {`{a: []}`, `{a: [{name: x}]}`, []string{"/a/0"}},
		"null and nothing are equal": {`{a: null}`, `{}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := map[string]any{}, map[string]any{}
			if err := yaml.Unmarshal([]byte(c.from), &from); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte(c.to), &to); err != nil {
				t.Fatal(err)
			}
			changes, more := changesBetween(from, to)
			var paths []string
			for _, each := range changes {
				paths = append(paths, each.Path)
			}
			if !slices.Equal(paths, c.want) || more != 0 {
				t.Errorf("changes %v and %d more, want %v", paths, more, c.want)
			}
		})
	}
}

func TestChangesAreBounded(t *testing.T) {
	from, to := map[string]any{}, map[string]any{}
	for i := range 10 * maxChanges {
		to[fmt.Sprintf("field%05d", i)] = strings.Repeat("x", 4*maxValue)
	}
	changes, more := changesBetween(from, to)
	if len(changes) != maxChanges || more != 9*maxChanges || changes[0].Path != "/field00000" {
		t.Errorf("%d changes and %d more, the first is %s", len(changes), more, changes[0].Path)
	}
	line := updateLine(Update{Object: declared(t, configMap), Changes: changes, More: more}, hidden)
	if limit := maxChanges * (maxValue + 100); len(line) > limit || !strings.HasSuffix(line, "; and 1800 more fields") {
		t.Errorf("a line of %d bytes, want at most %d", len(line), limit)
	}
}

func TestENG_P1_Summary(t *testing.T) {
	var many []string
	for i := range 25 {
		many = append(many, fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c%02d, namespace: memo}}`, i))
	}
	plan := New(Input{Objects: objects(t, append(many, deployment2)...), Active: objects(t, deployment1, role), Terms: terms})
	got := plan.Summary()
	if got.Digest != plan.Digest || got.Create.Total != 25 || len(got.Create.Objects) != 20 || got.Delete.Total != 1 {
		t.Errorf("summary %+v", got)
	}
	want := corev1alpha2.PlannedObjects{Total: 1, Objects: []corev1alpha2.PlannedObject{{
		Object: corev1alpha2.AppliedObject{Group: "apps", Kind: "Deployment", Namespace: "memo", Name: "controller"},
		Paths:  []string{"/spec/replicas", "/spec/template/spec/containers/0", "/spec/template/spec/containers/1/image"},
	}}}
	if diff := cmp.Diff(want, got.Update); diff != "" {
		t.Errorf("update (-want +got):\n%s", diff)
	}
	if empty := New(Input{Objects: objects(t, role), Active: objects(t, role), Terms: terms}).Summary(); empty.Create.Total != 0 || empty.Update.Total != 0 || empty.Delete.Total != 0 {
		t.Errorf("a plan that changes nothing: %+v", empty)
	}
}
