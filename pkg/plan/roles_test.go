package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func missingIn(namespace, group, resource string, verbs ...string) corev1alpha2.MissingPermission {
	return corev1alpha2.MissingPermission{Namespace: namespace, Group: group, Resource: resource, Verbs: verbs, ServiceAccountName: "deployer"}
}

func TestENG_P7_MissingRoles(t *testing.T) {
	named := missingIn("memo", "rbac.authorization.k8s.io", "clusterroles", "bind")
	named.ResourceNames = []string{"view"}
	url := corev1alpha2.MissingPermission{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}, ServiceAccountName: "deployer"}
	ofManager := missingIn("", "", "nodes", "list")
	ofManager.ServiceAccountName = ""
	got, err := MissingRoles("memo", "memo", []corev1alpha2.MissingPermission{
		missingIn("memo", "", "secrets", "create", "get"), missingIn("memo", "", "configmaps", "create", "get"), named, url, missingIn("", "", "nodes", "get"), ofManager,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: bundledeployment:memo:HASH
rules:
- nonResourceURLs:
  - /metrics
  verbs:
  - get
- apiGroups:
  - ""
  resources:
  - nodes
  verbs:
  - get
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: bundledeployment:memo:HASH
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: bundledeployment:memo:HASH
subjects:
- kind: ServiceAccount
  name: deployer
  namespace: memo
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: bundledeployment:memo:HASH
  namespace: memo
rules:
- apiGroups:
  - ""
  resources:
  - configmaps
  - secrets
  verbs:
  - create
  - get
- apiGroups:
  - rbac.authorization.k8s.io
  resourceNames:
  - view
  resources:
  - clusterroles
  verbs:
  - bind
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: bundledeployment:memo:HASH
  namespace: memo
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: bundledeployment:memo:HASH
subjects:
- kind: ServiceAccount
  name: deployer
  namespace: memo
`
	lines := strings.SplitAfter(got, "\n")
	for i, line := range lines {
		if before, _, found := strings.Cut(line, "bundledeployment:memo:"); found {
			lines[i] = before + "bundledeployment:memo:HASH\n"
		}
	}
	if diff := cmp.Diff(want, strings.Join(lines, "")); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}

// TestENG_P7_MissingRolesDoNotReplaceEarlierOnes checks that roles with other rules have other names: applying the roles for what is still
// missing must not take away what was granted before.
func TestENG_P7_MissingRolesDoNotReplaceEarlierOnes(t *testing.T) {
	texts := map[string]bool{}
	for _, verbs := range [][]string{{"create", "get"}, {"get"}} {
		text, err := MissingRoles("memo", "memo", []corev1alpha2.MissingPermission{missingIn("memo", "", "secrets", verbs...)})
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(text, "rules:")
		texts[name] = true
	}
	if len(texts) != 2 {
		t.Errorf("two sets of rules have one name: %v", texts)
	}
	for _, missing := range [][]corev1alpha2.MissingPermission{nil, {{Resource: "nodes", Verbs: []string{"list"}}}} {
		if text, err := MissingRoles("memo", "memo", missing); text != "" || err != nil {
			t.Errorf("%v: %q, error %v", missing, text, err)
		}
	}
}
