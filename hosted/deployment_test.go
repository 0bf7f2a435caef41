package hosted

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// difference is an entry of testdata/differences.yaml: a field of the Deployment that differs between the topologies, with all fields below
// it.
type difference struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// TestOM_13_TheDeploymentsDifferAsListed compares the rendered Deployment with that of a standalone cluster, so that a change of one of them
// has to be made in the other, too.
func TestOM_13_TheDeploymentsDifferAsListed(t *testing.T) {
	content, err := os.ReadFile("testdata/differences.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var listed []difference
	if err := yaml.UnmarshalStrict(content, &listed); err != nil {
		t.Fatal(err)
	}
	standalone := manifest(t, "50-deployment")
	rendered := find(t, techPreview(), "Deployment")
	for path, change := range differing(flatten(standalone.Object), flatten(rendered.Object)) {
		i := slices.IndexFunc(listed, func(each difference) bool { return isBelow(path, each.Path) })
		if i < 0 {
			t.Errorf("%s: %s; make the same change in manifests/ and hosted/assets, or list the field in testdata/differences.yaml with the reason", path, change)
		}
	}
	for _, each := range listed {
		isUsed := false
		for path := range differing(flatten(standalone.Object), flatten(rendered.Object)) {
			isUsed = isUsed || isBelow(path, each.Path)
		}
		if !isUsed {
			t.Errorf("testdata/differences.yaml lists %s, which does not differ; remove the entry", each.Path)
		}
		if strings.TrimSpace(each.Reason) == "" {
			t.Errorf("testdata/differences.yaml has no reason for %s", each.Path)
		}
	}
}

func TestTheServiceMonitorsKeepTheSameMetrics(t *testing.T) {
	relabelings := func(monitor *unstructured.Unstructured) any {
		endpoints, _, err := unstructured.NestedSlice(monitor.Object, "spec", "endpoints")
		if err != nil || len(endpoints) != 1 {
			t.Fatalf("found %d endpoints (error: %v)", len(endpoints), err)
		}
		return endpoints[0].(map[string]any)["metricRelabelings"]
	}
	if diff := cmp.Diff(relabelings(manifest(t, "02-servicemonitor")), relabelings(find(t, techPreview(), "ServiceMonitor"))); diff != "" {
		t.Errorf("(-manifests +hosted):\n%s", diff)
	}
}

// TestOM_13_ThePodSuitsAHostedControlPlane checks what the CPO requires of a Pod, and that nothing in it reaches the management cluster.
func TestOM_13_ThePodSuitsAHostedControlPlane(t *testing.T) {
	pod := deploymentOf(t, techPreview()).Spec.Template.Spec
	if ptr.Deref(pod.AutomountServiceAccountToken, true) || pod.ServiceAccountName != "" {
		t.Error("the Pod has a token of the management cluster")
	}
	for key := range pod.NodeSelector {
		t.Errorf("the Pod selects nodes by %s", key)
	}
	for _, each := range pod.Tolerations {
		if strings.HasPrefix(each.Key, "node-role.kubernetes.io/") {
			t.Errorf("the Pod tolerates %s", each.Key)
		}
	}
	if pod.PriorityClassName != "hypershift-control-plane" {
		t.Errorf("the priority class is %q", pod.PriorityClassName)
	}
	volumes := map[string]corev1.Volume{}
	for _, volume := range pod.Volumes {
		if _, isDuplicate := volumes[volume.Name]; isDuplicate || volume.HostPath != nil {
			t.Errorf("volume %q is a duplicate or a hostPath", volume.Name)
		}
		volumes[volume.Name] = volume
	}
	mounted := map[string]bool{}
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		paths := map[string]bool{}
		for _, mount := range container.VolumeMounts {
			if _, exists := volumes[mount.Name]; !exists || paths[mount.MountPath] {
				t.Errorf("container %q mounts volume %q at %s, which does not exist or is the second there", container.Name, mount.Name, mount.MountPath)
			}
			paths[mount.MountPath], mounted[mount.Name] = true, true
		}
	}
	for _, container := range pod.Containers {
		if !ptr.Deref(ptr.Deref(container.SecurityContext, corev1.SecurityContext{}).ReadOnlyRootFilesystem, false) {
			t.Errorf("container %q can write to its root filesystem", container.Name)
		}
	}
	for name := range volumes {
		if !mounted[name] {
			t.Errorf("no container mounts volume %q", name)
		}
	}
}

func TestCatalogsInTheManagementClusterAreReachedDirectly(t *testing.T) {
	plane := techPreview()
	for placement, want := range map[CatalogPlacement]string{
		"": "kube-apiserver", GuestCatalogs: "kube-apiserver",
		ManagementCatalogs: "kube-apiserver,certified-operators,community-operators,redhat-operators,redhat-marketplace",
	} {
		plane.Catalogs = placement
		manager := deploymentOf(t, plane).Spec.Template.Spec.Containers[0]
		values := map[string]string{}
		for _, env := range manager.Env {
			values[env.Name] = env.Value
		}
		if values["NO_PROXY"] != want {
			t.Errorf("placement %q: NO_PROXY is %q, want %q", placement, values["NO_PROXY"], want)
		}
		for _, name := range []string{"GRPC_PROXY", "HTTP_PROXY", "HTTPS_PROXY"} {
			if want := fmt.Sprintf("socks5://127.0.0.1:%d", proxyPort); values[name] != want {
				t.Errorf("placement %q: %s is %q, want %q", placement, name, values[name], want)
			}
		}
	}
}

// find returns the rendered object of a kind.
func find(t *testing.T, plane ControlPlane, kind string) *unstructured.Unstructured {
	t.Helper()
	objects, err := Render(plane)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(objects, func(object *unstructured.Unstructured) bool { return object.GetKind() == kind })
	if i < 0 {
		t.Fatalf("no %s is rendered", kind)
	}
	return objects[i]
}

func deploymentOf(t *testing.T, plane ControlPlane) *appsv1.Deployment {
	t.Helper()
	deployment := &appsv1.Deployment{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(find(t, plane, "Deployment").Object, deployment, true); err != nil {
		t.Fatal(err)
	}
	return deployment
}

// isBelow reports whether a path is that of a field or of a field below it.
func isBelow(path, field string) bool {
	rest, isPrefixed := strings.CutPrefix(path, field)
	return isPrefixed && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// differing returns the paths of the values that differ, with a description.
func differing(standalone, hosted map[string]string) map[string]string {
	paths := maps.Clone(standalone)
	maps.Copy(paths, hosted)
	changes := map[string]string{}
	for path := range paths {
		before, exists := standalone[path]
		after, stays := hosted[path]
		switch {
		case exists && !stays:
			changes[path] = fmt.Sprintf("%s, and nothing in a hosted control plane", before)
		case !exists:
			changes[path] = fmt.Sprintf("nothing, and %s in a hosted control plane", after)
		case before != after:
			changes[path] = fmt.Sprintf("%s, and %s in a hosted control plane", before, after)
		}
	}
	return changes
}

// flatten returns the values of an object by their paths. An element of a list is identified by its name or key, a flag by its name, and
// any other value by itself.
func flatten(value any) map[string]string {
	flat := map[string]string{}
	var add func(path string, value any)
	add = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, field := range value {
				add(strings.TrimPrefix(path+"."+key, "."), field)
			}
		case []any:
			for _, element := range value {
				id := fmt.Sprint(element)
				if object, isObject := element.(map[string]any); isObject {
					id = fmt.Sprint(object["name"])
					if object["name"] == nil {
						id = fmt.Sprint(object["key"])
					}
				} else if flag, _, isFlag := strings.Cut(id, "="); isFlag {
					id = flag
				}
				add(path+"["+id+"]", element)
			}
		default:
			flat[path] = fmt.Sprint(value)
		}
	}
	add("", value)
	return flat
}
