package drift

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const memoDeployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: memo, namespace: ns, labels: {app: memo}, annotations: {a/b: "1"}},
	spec: {selector: {matchLabels: {app: memo}}, minReadySeconds: 3, strategy: {type: Recreate}, template: {metadata: {labels: {app: memo}}, spec: {
		serviceAccountName: memo, containers: [
			{name: proxy, image: proxy, ports: [{containerPort: 80, protocol: TCP, name: web}]},
			{name: memo, image: memo, args: [--a, --b], env: [{name: ONE, value: "1"}, {name: TWO, value: "2"}], resources: {requests: {cpu: 100m}}}],
		volumes: [{name: certificate, secret: {secretName: memo}}]}}}}`

const memoService = `{apiVersion: v1, kind: Service, metadata: {name: memo, namespace: ns}, spec: {type: ClusterIP, selector: {app: memo}, ports: [{name: web, port: 80, protocol: TCP, targetPort: 80}]}}`

const memoRole = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: memo, labels: {app: memo, more: x}}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`

const memoConfig = `{apiVersion: v1, kind: ConfigMap, metadata: {name: memo, namespace: ns, finalizers: [example.com/a, example.com/c]}, data: {a: "1", b: "2", c.d/e: "3"}}`

// edit is a change of a declared field. path is the JSON pointer of the field and of the expected difference. If gone is true, the edit
// removes the field.
type edit struct {
	declared, path string
	value          any
	gone           bool
}

var edits = []edit{
	{declared: memoDeployment, path: "/metadata/labels/app", value: "evil"},
	{declared: memoDeployment, path: "/metadata/annotations/a~1b", value: "2"},
	{declared: memoDeployment, path: "/spec/minReadySeconds", value: int64(4)},
	{declared: memoDeployment, path: "/spec/strategy/type", value: "RollingUpdate"},
	{declared: memoDeployment, path: "/spec/selector", value: map[string]any{"matchLabels": map[string]any{"app": "evil"}}},
	{declared: memoDeployment, path: "/spec/template/spec/containers/1/image", value: "evil"},
	{declared: memoDeployment, path: "/spec/template/spec/containers/1/args", value: []any{"--a"}},
	{declared: memoDeployment, path: "/spec/template/spec/containers/1/env/1/value", value: "3"},
	{declared: memoDeployment, path: "/spec/template/spec/containers/1/resources/requests/cpu", value: "200m"},
	{declared: memoDeployment, path: "/spec/template/spec/containers/0/ports/0/name", value: "evil"},
	{declared: memoDeployment, path: "/spec/template/spec/volumes/0/secret/secretName", value: "evil"},
	{declared: memoDeployment, path: "/spec/template/spec/containers/1/env/0", gone: true},
	{declared: memoDeployment, path: "/spec/template/spec/serviceAccountName", gone: true},
	{declared: memoDeployment, path: "/spec/template/metadata/labels/app", value: "evil"},
	{declared: memoService, path: "/spec/selector", value: map[string]any{"app": "memo", "more": "x"}},
	{declared: memoService, path: "/spec/ports/0/targetPort", value: int64(81)},
	{declared: memoService, path: "/spec/type", value: "NodePort"},
	{declared: memoRole, path: "/rules", value: []any{map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"*"}}}},
	{declared: memoRole, path: "/metadata/labels/app", gone: true},
	{declared: memoConfig, path: "/data/a", value: "evil"},
	{declared: memoConfig, path: "/data/b", gone: true},
	{declared: memoConfig, path: "/data/c.d~1e", value: "evil"},
	{declared: memoConfig, path: "/metadata/finalizers/0", gone: true},
}

// added is an addition to a declared object. path is the JSON pointer of the expected addition.
type added struct {
	declared, path string
	// at is the JSON pointer at which value is put, or a list's pointer and "/-" for its end.
	at    string
	value any
}

var additions = []added{
	{declared: memoDeployment, path: "/metadata/labels/users", at: "/metadata/labels/users", value: "own"},
	{declared: memoDeployment, path: "/metadata/annotations/c~1d", at: "/metadata/annotations/c~1d", value: "own"},
	{declared: memoDeployment, path: "/spec/replicas", at: "/spec/replicas", value: int64(3)},
	{declared: memoDeployment, path: "/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt", at: "/spec/template/metadata/annotations", value: map[string]any{"kubectl.kubernetes.io/restartedAt": "now"}},
	{declared: memoDeployment, path: "/spec/template/spec/nodeSelector", at: "/spec/template/spec/nodeSelector", value: map[string]any{"a": "b"}},
	{declared: memoDeployment, path: "/spec/template/spec/tolerations", at: "/spec/template/spec/tolerations", value: []any{map[string]any{"operator": "Exists"}}},
	{declared: memoDeployment, path: `/spec/template/spec/containers/[name="sidecar"]`, at: "/spec/template/spec/containers/-", value: map[string]any{"name": "sidecar", "image": "x"}},
	{declared: memoDeployment, path: `/spec/template/spec/containers/1/env/[name="MORE"]`, at: "/spec/template/spec/containers/1/env/-", value: map[string]any{"name": "MORE", "value": "x"}},
	{declared: memoDeployment, path: `/spec/template/spec/containers/0/ports/[containerPort=81,protocol="TCP"]`, at: "/spec/template/spec/containers/0/ports/-", value: map[string]any{"containerPort": int64(81), "protocol": "TCP"}},
	{declared: memoDeployment, path: "/spec/template/spec/containers/1/resources/limits", at: "/spec/template/spec/containers/1/resources/limits", value: map[string]any{"cpu": "1"}},
	{declared: memoDeployment, path: "/spec/template/spec/containers/1/resources/requests/memory", at: "/spec/template/spec/containers/1/resources/requests/memory", value: "1Gi"},
	{declared: memoDeployment, path: "/spec/template/spec/containers/0/livenessProbe", at: "/spec/template/spec/containers/0/livenessProbe", value: map[string]any{"httpGet": map[string]any{"path": "/", "port": int64(80)}, "periodSeconds": int64(5)}},
	{declared: memoDeployment, path: `/spec/template/spec/volumes/[name="scratch"]`, at: "/spec/template/spec/volumes/-", value: map[string]any{"name": "scratch", "emptyDir": map[string]any{}}},
	{declared: memoService, path: `/spec/ports/[port=81,protocol="TCP"]`, at: "/spec/ports/-", value: map[string]any{"name": "more", "port": int64(81), "protocol": "TCP", "targetPort": int64(81)}},
	{declared: memoService, path: "/metadata/labels/users", at: "/metadata/labels", value: map[string]any{"users": "own"}},
	{declared: memoRole, path: "/metadata/annotations/users", at: "/metadata/annotations", value: map[string]any{"users": "own"}},
	{declared: memoConfig, path: "/data/z", at: "/data/z", value: "own"},
	{declared: memoConfig, path: `/metadata/finalizers/[="example.com~1b"]`, at: "/metadata/finalizers/-", value: "example.com/b"},
}

func paths(differences []Difference) []string {
	var paths []string
	for _, each := range differences {
		paths = append(paths, each.Path)
	}
	slices.Sort(paths)
	return paths
}

func pathsOf(found []Addition) []string {
	var paths []string
	for _, each := range found {
		paths = append(paths, each.Path)
	}
	slices.Sort(paths)
	return paths
}

// subsets returns sets of indexes below n: each index alone, and then 25 sets of several. The result is always the same.
func subsets(n int) [][]int {
	random := rand.New(rand.NewPCG(1, 2))
	var all [][]int
	for i := range n {
		all = append(all, []int{i})
	}
	for range 25 {
		var some []int
		for i := range n {
			if random.IntN(3) == 0 {
				some = append(some, i)
			}
		}
		all = append(all, some)
	}
	return all
}

func TestDifferencesAreExactlyTheDeclaredFieldsThatOthersEdited(t *testing.T) {
	for _, text := range []string{memoDeployment, memoService, memoRole, memoConfig} {
		declared := object(t, text)
		of := slices.DeleteFunc(slices.Clone(edits), func(each edit) bool { return each.declared != text })
		for way, write := range applied {
			for _, trust := range []Trust{NothingKnown, WrittenBefore, WrittenNow} {
				t.Run(fmt.Sprintf("%s %s, trust %d", declared.GetKind(), way, trust), func(t *testing.T) {
					compare := Comparison{Manager: ours, Trust: trust}
					if untouched := compare.Differences(declared, write(t, declared).object()); len(untouched) > 0 {
						t.Fatalf("of an unchanged object: %v", paths(untouched))
					}
					for _, some := range subsets(len(of)) {
						var chosen []edit
						for _, i := range some {
							chosen = append(chosen, of[i])
						}
						checkEdits(t, compare, declared, write(t, declared), chosen)
					}
				})
			}
		}
	}
}

// checkEdits makes edits and compares the differences with them. Edits that remove an item of a list must come last, so that indices stay valid.
func checkEdits(t *testing.T, compare Comparison, declared *unstructured.Unstructured, live *record, chosen []edit) {
	t.Helper()
	var want []string
	for _, each := range chosen {
		want = append(want, each.path)
		live.update("kubectl-edit", func(content map[string]any) { put(content, each.path, each.value, each.gone) })
	}
	slices.Sort(want)
	differences := compare.Differences(declared, live.object())
	if diff := cmp.Diff(want, paths(differences)); diff != "" {
		t.Fatalf("edited %v (-edited +reported):\n%s", want, diff)
	}
	for i, each := range compare.Attributed(differences, live.object()) {
		if gone := differences[i].Gone; gone && each.Manager != "" || !gone && each.Manager != "kubectl-edit" {
			t.Errorf("%s is attributed to %q", each.Path, each.Manager)
		}
	}
	if found := compare.Additions(declared, live.object()); len(found) > 0 {
		t.Errorf("edits of %v are reported as additions: %v", want, pathsOf(found))
	}
}

func TestAdditionsAreExactlyWhatOthersAdded(t *testing.T) {
	for _, text := range []string{memoDeployment, memoService, memoRole, memoConfig} {
		declared := object(t, text)
		of := slices.DeleteFunc(slices.Clone(additions), func(each added) bool { return each.declared != text })
		for way, write := range applied {
			t.Run(declared.GetKind()+" "+way, func(t *testing.T) {
				for _, some := range subsets(len(of)) {
					live := write(t, declared)
					var want []string
					for _, i := range some {
						want = append(want, of[i].path)
						live.update("kubectl-edit", func(content map[string]any) { put(content, of[i].at, of[i].value, false) })
					}
					slices.Sort(want)
					compare := Comparison{Manager: ours}
					if differences := compare.Differences(declared, live.object()); len(differences) > 0 {
						t.Fatalf("adding %v is told as a change of %v", want, paths(differences))
					}
					found := compare.Additions(declared, live.object())
					if diff := cmp.Diff(want, pathsOf(found)); diff != "" {
						t.Fatalf("(-added +told):\n%s", diff)
					}
					takenAway(t, compare, declared, live, found)
				}
			})
		}
	}
}

// takenAway removes additions, and checks that no others are removed.
func takenAway(t *testing.T, compare Comparison, declared *unstructured.Unstructured, live *record, found []Addition) {
	t.Helper()
	trimmed, taken := compare.Without(found, declared, live.object())
	live.update(ours, func(map[string]any) {}, trimmed)
	var want []string
	for _, each := range found {
		if !each.Removable() {
			want = append(want, each.Path)
		}
	}
	if len(want)+len(taken) != len(found) {
		t.Errorf("%d of %d are taken away, and %d are to be kept", len(taken), len(found), len(want))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, pathsOf(compare.Additions(declared, live.object()))); diff != "" {
		t.Fatalf("left after removal (-want +got):\n%s", diff)
	}
	if differences := compare.Differences(declared, live.object()); len(differences) > 0 {
		t.Fatalf("removing %v has changed %v", pathsOf(found), paths(differences))
	}
}

func TestAdditionsByManager(t *testing.T) {
	cases := map[string]struct {
		managers []string
		change   func(map[string]any)
		ignored  map[string]bool
		want     []string
	}{
		"fields of Kubernetes' controllers, service-ca and cert-manager are none": {
			managers: []string{"kube-controller-manager", "kube-apiserver", "kubelet", "service-ca-operator", "cert-manager-cainjector"},
			change:   func(o map[string]any) { put(o, "/data/ca", "x", false) },
		},
		"fields of another field manager of the manager are none": {
			managers: []string{"platform-operators/other"},
			change:   func(o map[string]any) { put(o, "/data/ca", "x", false) },
		},
		"annotations of kubectl and of the Deployment controller are none": {
			managers: []string{"kubectl-client-side-apply"},
			change: func(o map[string]any) {
				put(o, "/metadata/annotations", map[string]any{corev1.LastAppliedConfigAnnotation: "x", "deployment.kubernetes.io/revision": "1", "mine": "x"}, false)
			},
			want: []string{"/metadata/annotations/mine"},
		},
		"ignored fields are none, nor any field below them": {
			managers: []string{"kubectl-edit"},
			change: func(o map[string]any) {
				put(o, "/data/x", "x", false)
				put(o, "/metadata/labels", map[string]any{"a": "x"}, false)
			},
			ignored: map[string]bool{"/metadata/labels": true},
			want:    []string{"/data/x"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			declared := object(t, memoConfig)
			for _, manager := range c.managers {
				live := posted(t, declared)
				live.update(manager, c.change)
				compare := Comparison{Manager: ours, Ignored: c.ignored}
				if diff := cmp.Diff(c.want, pathsOf(compare.Additions(declared, live.object()))); diff != "" {
					t.Errorf("by %s (-want +got):\n%s", manager, diff)
				}
			}
		})
	}
}

func TestIgnoredFieldsKeepTheirLiveValuesInARepair(t *testing.T) {
	for text, pointers := range map[string][]string{
		memoDeployment: {"/spec/template/spec/containers/1/image", "/spec/template/spec/containers/1/env/1", "/metadata/labels/app", "/spec/selector"},
		memoService:    {"/spec/ports/0/targetPort", "/spec/selector"},
		memoConfig:     {"/data/a", "/metadata/finalizers"},
		memoRole:       {"/rules/0/verbs"},
	} {
		declared := object(t, text)
		ignored := map[string]bool{}
		for _, pointer := range pointers {
			ignored[pointer] = true
		}
		t.Run(declared.GetKind(), func(t *testing.T) {
			compare := Comparison{Manager: ours, Ignored: ignored}
			live := posted(t, declared)
			for _, each := range edits {
				if each.declared == text && !each.gone {
					live.update("kubectl-edit", func(content map[string]any) { put(content, each.path, each.value, each.gone) })
				}
			}
			edited := live.object()
			sent := compare.WithLive(declared, edited)
			live.update(ours, func(map[string]any) {})
			live.apply(ours, sent)
			if differences := compare.Differences(declared, live.object()); len(differences) > 0 {
				t.Errorf("after the repair these are not as declared: %v", paths(differences))
			}
			all := Comparison{Manager: ours}
			for _, each := range all.Differences(declared, live.object()) {
				if !slices.ContainsFunc(pointers, func(pointer string) bool {
					return each.Path == pointer || strings.HasPrefix(each.Path, pointer+"/") || strings.HasPrefix(pointer, each.Path+"/")
				}) {
					t.Errorf("%s is not as declared, and not ignored", each.Path)
				}
			}
			for _, pointer := range pointers {
				if diff := cmp.Diff(at(edited.Object, pointer), at(live.object().Object, pointer)); diff != "" {
					t.Errorf("%s was touched (-before +after):\n%s", pointer, diff)
				}
			}
		})
	}
}
