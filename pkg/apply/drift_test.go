package apply

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/csaupgrade"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const ours = "platform-operators/memo"

// record is one object as an API server keeps it, with the API server's own record of field managers; only defaults are
// not filled in.
type record struct {
	t      testing.TB
	fields *managedfields.FieldManager
	live   runtime.Object
}

func posted(t testing.TB, declared *unstructured.Unstructured) *record {
	t.Helper()
	kind := declared.GroupVersionKind()
	fields, err := managedfields.NewDefaultFieldManager(applyconfigurations.NewTypeConverter(scheme.Scheme), scheme.Scheme, noDefaults{}, scheme.Scheme, kind, kind.GroupVersion(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := scheme.Scheme.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	empty.GetObjectKind().SetGroupVersionKind(kind)
	r := &record{t: t, fields: fields, live: empty}
	r.update(ours, func(map[string]any) {}, declared)
	return r
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

func (r *record) object() *unstructured.Unstructured {
	r.t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r.live)
	if err != nil {
		r.t.Fatal(err)
	}
	delete(content, "status")
	return &unstructured.Unstructured{Object: content}
}

// update writes the object as a whole, as PUT, POST and kubectl edit do.
func (r *record) update(manager string, change func(map[string]any), instead ...*unstructured.Unstructured) {
	r.t.Helper()
	wanted := r.object()
	if len(instead) > 0 {
		wanted = instead[0].DeepCopy()
	}
	change(wanted.Object)
	typed, err := scheme.Scheme.New(wanted.GroupVersionKind())
	if err != nil {
		r.t.Fatal(err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(wanted.Object, typed); err != nil {
		r.t.Fatal(err)
	}
	if r.live, err = r.fields.Update(r.live, typed, manager); err != nil {
		r.t.Fatalf("updating as %s: %v", manager, err)
	}
}

// apply applies by server-side apply, with force.
func (r *record) apply(manager string, wanted *unstructured.Unstructured) {
	r.t.Helper()
	var err error
	if r.live, err = r.fields.Apply(r.live, wanted, manager, true); err != nil {
		r.t.Fatalf("applying as %s: %v", manager, err)
	}
}

const memoDeployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: memo, namespace: ns, labels: {app: memo}, annotations: {a/b: "1"}},
	spec: {selector: {matchLabels: {app: memo}}, minReadySeconds: 3, strategy: {type: Recreate}, template: {metadata: {labels: {app: memo}}, spec: {
		serviceAccountName: memo, containers: [
			{name: proxy, image: proxy, ports: [{containerPort: 80, protocol: TCP, name: web}]},
			{name: memo, image: memo, args: [--a, --b], env: [{name: ONE, value: "1"}, {name: TWO, value: "2"}], resources: {requests: {cpu: 100m}}}],
		volumes: [{name: certificate, secret: {secretName: memo}}]}}}}`

const memoService = `{apiVersion: v1, kind: Service, metadata: {name: memo, namespace: ns}, spec: {type: ClusterIP, selector: {app: memo}, ports: [{name: web, port: 80, protocol: TCP, targetPort: 80}]}}`

const memoRole = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: memo, labels: {app: memo, more: x}}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`

const memoConfig = `{apiVersion: v1, kind: ConfigMap, metadata: {name: memo, namespace: ns, finalizers: [example.com/a, example.com/c]}, data: {a: "1", b: "2", c.d/e: "3"}}`

// edits are changes of declared fields, by the path that is to be told; gone is one that leaves nothing in its place.
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

// added are additions, by the path that is to be told.
type added struct {
	declared, path string
	// at is where value is put; an item is put at the end of a list.
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

// put sets a value at a JSON pointer; "-" puts it at the end of a list, and nothing takes away what is there.
func put(from any, pointer string, value any, gone bool) any {
	token, rest, deeper := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	switch from := from.(type) {
	case map[string]any:
		switch {
		case deeper:
			from[token] = put(from[token], rest, value, gone)
		case gone:
			delete(from, token)
		default:
			from[token] = value
		}
		return from
	case []any:
		if token == "-" {
			return append(from, value)
		}
		index, err := strconv.Atoi(token)
		switch {
		case err != nil || index >= len(from):
			panic(fmt.Sprintf("no item %q in %v", token, from))
		case deeper:
			from[index] = put(from[index], rest, value, gone)
		case gone:
			return slices.Delete(from, index, index+1)
		default:
			from[index] = value
		}
		return from
	}
	panic(fmt.Sprintf("nothing at %q in %v", pointer, from))
}

func paths(differences []difference) []string {
	var paths []string
	for _, each := range differences {
		paths = append(paths, each.path)
	}
	slices.Sort(paths)
	return paths
}

func added2paths(found []addition) []string {
	var paths []string
	for _, each := range found {
		paths = append(paths, each.path)
	}
	slices.Sort(paths)
	return paths
}

// subsets gives every one of n alone, and then some of several together, always the same.
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

// applied gives the ways in which the owner's last write may have been made.
var applied = map[string]func(testing.TB, *unstructured.Unstructured) *record{
	"posted": func(t testing.TB, declared *unstructured.Unstructured) *record { return posted(t, declared) },
	"applied": func(t testing.TB, declared *unstructured.Unstructured) *record {
		r := posted(t, declared)
		if err := csaupgrade.UpgradeManagedFields(r.live, sets.New(ours), ours); err != nil {
			t.Fatal(err)
		}
		r.apply(ours, declared)
		return r
	},
}

func TestWhateverDeclaredFieldsOthersEditExactlyThoseAreTold(t *testing.T) {
	for _, text := range []string{memoDeployment, memoService, memoRole, memoConfig} {
		declared := object(t, text)
		of := slices.DeleteFunc(slices.Clone(edits), func(each edit) bool { return each.declared != text })
		for way, write := range applied {
			for _, trust := range []trust{nothingKnown, writtenBefore, writtenNow} {
				t.Run(fmt.Sprintf("%s %s, trust %d", declared.GetKind(), way, trust), func(t *testing.T) {
					compare := comparison{manager: ours, trust: trust}
					if untouched := compare.differences(declared, write(t, declared).object()); len(untouched) > 0 {
						t.Fatalf("of an object that nobody touched: %v", paths(untouched))
					}
					for _, some := range subsets(len(of)) {
						var chosen []edit
						for _, i := range some {
							chosen = append(chosen, of[i])
						}
						tell(t, compare, declared, write(t, declared), chosen)
					}
				})
			}
		}
	}
}

// tell makes some edits, of which the ones that take an item out of a list come last, so that indices stay.
func tell(t *testing.T, compare comparison, declared *unstructured.Unstructured, live *record, chosen []edit) {
	t.Helper()
	var want []string
	for _, each := range chosen {
		want = append(want, each.path)
		live.update("kubectl-edit", func(content map[string]any) { put(content, each.path, each.value, each.gone) })
	}
	slices.Sort(want)
	differences := compare.differences(declared, live.object())
	if diff := cmp.Diff(want, paths(differences)); diff != "" {
		t.Fatalf("edited %v (-edited +told):\n%s", want, diff)
	}
	for i, each := range attributed(differences, live.object(), ours) {
		if gone := differences[i].gone; gone && each.manager != "" || !gone && each.manager != "kubectl-edit" {
			t.Errorf("%s is said to be a change of %q", each.path, each.manager)
		}
	}
	if found := compare.additions(declared, live.object()); len(found) > 0 {
		t.Errorf("edits of %v are told as additions: %v", want, added2paths(found))
	}
}

func TestWhateverOthersAddExactlyThatIsAnAddition(t *testing.T) {
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
					compare := comparison{manager: ours}
					if differences := compare.differences(declared, live.object()); len(differences) > 0 {
						t.Fatalf("adding %v is told as a change of %v", want, paths(differences))
					}
					found := compare.additions(declared, live.object())
					if diff := cmp.Diff(want, added2paths(found)); diff != "" {
						t.Fatalf("(-added +told):\n%s", diff)
					}
					takenAway(t, compare, declared, live, found)
				}
			})
		}
	}
}

// takenAway removes additions and looks whether exactly they are gone.
func takenAway(t *testing.T, compare comparison, declared *unstructured.Unstructured, live *record, found []addition) {
	t.Helper()
	trimmed, taken := compare.without(found, declared, live.object())
	live.update(ours, func(map[string]any) {}, trimmed)
	var want []string
	for _, each := range found {
		if kept(each) {
			want = append(want, each.path)
		}
	}
	if len(want)+len(taken) != len(found) {
		t.Errorf("%d of %d are taken away, and %d are to be kept", len(taken), len(found), len(want))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, added2paths(compare.additions(declared, live.object()))); diff != "" {
		t.Fatalf("left after removal (-want +got):\n%s", diff)
	}
	if differences := compare.differences(declared, live.object()); len(differences) > 0 {
		t.Fatalf("removing %v has changed %v", added2paths(found), paths(differences))
	}
}

func TestAdditions(t *testing.T) {
	cases := map[string]struct {
		managers []string
		change   func(map[string]any)
		ignored  map[string]bool
		want     []string
	}{
		"what Kubernetes' controllers, service-ca and cert-manager add is none": {
			managers: []string{"kube-controller-manager", "kube-apiserver", "kubelet", "service-ca-operator", "cert-manager-cainjector"},
			change:   func(o map[string]any) { put(o, "/data/ca", "x", false) },
		},
		"what another revision of the manager's own left is none": {
			managers: []string{"platform-operators/other"},
			change:   func(o map[string]any) { put(o, "/data/ca", "x", false) },
		},
		"kubectl's own copy of the object is none": {
			managers: []string{"kubectl-client-side-apply"},
			change: func(o map[string]any) {
				put(o, "/metadata/annotations", map[string]any{lastApplied: "x", "deployment.kubernetes.io/revision": "1", "mine": "x"}, false)
			},
			want: []string{"/metadata/annotations/mine"},
		},
		"what is ignored is not told, with everything below it": {
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
				compare := comparison{manager: ours, ignored: c.ignored}
				if diff := cmp.Diff(c.want, added2paths(compare.additions(declared, live.object()))); diff != "" {
					t.Errorf("by %s (-want +got):\n%s", manager, diff)
				}
			}
		})
	}
}

func TestIgnoredFieldsKeepTheirLiveValueWhenOthersAreRepaired(t *testing.T) {
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
			compare := comparison{manager: ours, ignored: ignored}
			live := posted(t, declared)
			for _, each := range edits {
				if each.declared == text && !each.gone {
					live.update("kubectl-edit", func(content map[string]any) { put(content, each.path, each.value, each.gone) })
				}
			}
			edited := live.object()
			sent := compare.withLive(declared, edited)
			live.update(ours, func(map[string]any) {})
			live.apply(ours, sent)
			if differences := compare.differences(declared, live.object()); len(differences) > 0 {
				t.Errorf("after the repair these are not as declared: %v", paths(differences))
			}
			all := comparison{manager: ours}
			for _, each := range all.differences(declared, live.object()) {
				if !slices.ContainsFunc(pointers, func(pointer string) bool {
					return each.path == pointer || strings.HasPrefix(each.path, pointer+"/") || strings.HasPrefix(pointer, each.path+"/")
				}) {
					t.Errorf("%s is not as declared, and not ignored", each.path)
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

func at(from any, pointer string) any {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch value := from.(type) {
		case map[string]any:
			from = value[token]
		case []any:
			if index, err := strconv.Atoi(token); err == nil && index < len(value) {
				from = value[index]
			} else {
				return nil
			}
		default:
			return nil
		}
	}
	return from
}

func TestRulesTarget(t *testing.T) {
	deployment := Key{Namespace: "n", Name: "memo"}
	deployment.Group, deployment.Kind = "apps", "Deployment"
	service := Key{Namespace: "n", Name: "memo"}
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
			r := newRules(corev1alpha2.Drift{Ignore: []corev1alpha2.DriftIgnore{{Target: c.target, JSONPointers: []string{"/spec"}}}})
			if got := r.ignored(deployment)["/spec"]; got != c.deployment {
				t.Errorf("the Deployment is targeted: %v", got)
			}
			if got := r.ignored(service)["/spec"]; got != c.service {
				t.Errorf("the Service is targeted: %v", got)
			}
		})
	}
}

func TestAFightIsDampedAndForgotten(t *testing.T) {
	now := time.Unix(1e9, 0)
	var f fight
	var writes []time.Duration
	start := now
	for now.Sub(start) < time.Hour { // somebody changes it back at once, each time
		now = now.Add(f.wait(now)).Add(time.Millisecond)
		f = f.repaired(now)
		writes = append(writes, now.Sub(start).Round(time.Second))
	}
	minute := slices.IndexFunc(writes, func(at time.Duration) bool { return at > time.Minute })
	if minute > 8 {
		t.Errorf("%d writes in the first minute: %v", minute, writes[:minute])
	}
	if len(writes) > 24 {
		t.Errorf("%d writes in an hour: %v", len(writes), writes)
	}
	if wait := f.wait(now); wait < lastWait-time.Second || wait > lastWait {
		t.Errorf("the pause is %s in the end, want %s", wait, lastWait)
	}
	if later := now.Add(2*lastWait + time.Second); f.repaired(later).wait(later) != 0 {
		t.Error("a change after a calm time has to wait")
	}
	var slow fight
	for range 100 { // now and then is no fight
		now = now.Add(calmTime + time.Second)
		if wait := slow.wait(now); wait > 0 {
			t.Fatalf("a change after a calm minute has to wait %s", wait)
		}
		slow = slow.repaired(now)
	}
}

func TestRecordsAreBoundedAndKeepTheirTime(t *testing.T) {
	key := Key{Namespace: "n", Name: "memo"}
	key.Kind = "ConfigMap"
	then, now := time.Unix(1000, 0), time.Unix(2000, 500)
	var changes []change
	for i := range 30 {
		changes = append(changes, change{path: fmt.Sprintf("/data/%02d", i), manager: "kubectl", time: then})
	}
	changes = append(changes, change{path: "/data/" + strings.Repeat("x", 1000)})
	of := drifted{key, corev1alpha2.DriftEdited, corev1alpha2.DriftReported}
	first := recordsOf(of, changes, nil, now)
	if len(first) != 2 || len(first[0].Paths) != maxPaths || len(first[1].Paths[0]) != maxPath {
		t.Fatalf("not bounded: %v", first)
	}
	if !first[0].Time.Time.Equal(then) || !first[1].Time.Time.Equal(now.Truncate(time.Second)) {
		t.Errorf("times are %v and %v", first[0].Time, first[1].Time)
	}
	if diff := cmp.Diff(first, recordsOf(of, changes, first, now.Add(time.Hour))); diff != "" {
		t.Errorf("the same records an hour later (-then +now):\n%s", diff)
	}
	var many []corev1alpha2.DriftRecord
	for i := range 50 {
		many = append(many, recordsOf(of, []change{{path: "/a", manager: "m", time: then.Add(time.Duration(i) * time.Second)}}, nil, now)...)
	}
	if got := newest(many); len(got) != maxRecords || !got[0].Time.Time.Equal(then.Add(49*time.Second)) {
		t.Errorf("%d records, the first of %v", len(got), got[0].Time)
	}
}
