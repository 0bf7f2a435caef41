package hosted

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestTheGuestHasEverythingThatRunsNoPods(t *testing.T) {
	dir := t.TempDir()
	if err := CopyGuestManifests(manifestsDir, dir); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for document := range strings.SplitSeq(string(content), "\n---\n") {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(document), object); err != nil {
				t.Fatalf("%s: %v", file.Name(), err)
			}
			kinds[object.GetKind()]++
		}
	}
	for _, kind := range []string{"Deployment", "Service", "ConfigMap", "NetworkPolicy", "ServiceMonitor", "PrometheusRule"} {
		if kinds[kind] > 0 {
			t.Errorf("the guest has %d objects of kind %s", kinds[kind], kind)
		}
	}
	for _, kind := range []string{
		"ClusterOperator", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace", "PlatformOperatorManager",
		"ProvisionerClass", "Role", "RoleBinding", "ServiceAccount", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	} {
		if kinds[kind] == 0 {
			t.Errorf("the guest has no object of kind %s", kind)
		}
	}
}

func TestAnExcludedManifestThatDoesNotExistIsAnError(t *testing.T) {
	if _, err := GuestManifests(t.TempDir()); err == nil || !strings.Contains(err.Error(), "guest-excluded.yaml lists 0000_50_") {
		t.Errorf("got %v", err)
	}
}

// TestTheComponentNamesTheManagersObjectsInTheGuest compares the constants with the manifests that define them.
func TestTheComponentNamesTheManagersObjectsInTheGuest(t *testing.T) {
	account := manifest(t, "20-serviceaccount")
	if diff := cmp.Diff([]string{GuestNamespace, GuestServiceAccount}, []string{account.GetNamespace(), account.GetName()}); diff != "" {
		t.Errorf("the ServiceAccount (-want +got):\n%s", diff)
	}
	user := "system:serviceaccount:" + GuestNamespace + ":" + GuestServiceAccount
	content, err := yaml.Marshal(manifest(t, "11-namespace-ownership-validatingadmissionpolicy").Object)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), "request.userInfo.username != '"+user+"'") {
		t.Errorf("the admission policy for namespaces does not exempt %s, as which the manager acts in the guest", user)
	}
	deployment := deploymentOf(t, techPreview())
	manager := deployment.Spec.Template.Spec.Containers[0]
	for _, argument := range []string{"--namespace=" + GuestNamespace, "--kubeconfig=" + kubeconfigDir + "/kubeconfig"} {
		if !slices.Contains(manager.Args, argument) {
			t.Errorf("the manager lacks argument %s", argument)
		}
	}
}
