package story_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// runStory runs a story on an empty cluster. The report describes the ConfigMaps in namespace "default". Verb "busy" patches ConfigMap "a"
// every second until the story ends. failed is the error of Run.
func runStory(t *testing.T, text string) (report string, failed error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		client, err := kubernetes.NewForConfig(cluster.ClientConfig(scenario.AdminUser))
		if err != nil {
			t.Fatal(err)
		}
		if err := cluster.Settle(); err != nil {
			t.Fatal(err)
		}
		verbs := story.Verbs()
		verbs["busy"] = func(ctx context.Context, _ *story.Runner, _ story.Step) error {
			go func() { // until the story ends
				for ctx.Err() == nil {
					time.Sleep(time.Second)
					_, _ = client.CoreV1().ConfigMaps("default").Patch(ctx, "a", "application/merge-patch+json", []byte(`{"data":{"at":"`+time.Now().String()+`"}}`), metav1.PatchOptions{})
				}
			}()
			return nil
		}
		read, err := story.Parse("x.yaml", []byte(text), verbs)
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		defer end()
		runner := story.Runner{Cluster: cluster, Verbs: verbs, Operator: []string{scenario.AdminUser}, State: func(ctx context.Context) ([]story.Description, error) {
			list, err := client.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, err
			}
			var state []story.Description
			for _, each := range list.Items {
				state = append(state, story.Description{Object: "ConfigMap/" + each.Name, Lines: []string{"color: " + each.Data["color"], "size: " + each.Data["size"]}})
			}
			return state, nil
		}}
		report, failed = runner.Run(ctx, read)
		end()
	})
	return report, failed
}

const create = "- create: {apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: a}, data: {color: red, size: '1'}}\n"

func TestAReportHasWhatEachStepChanged(t *testing.T) {
	report, err := runStory(t, "title: A ConfigMap is painted\nsteps:\n- wait: 1s\n"+create+`
- title: It is painted
  patch: {object: ConfigMap/default/a, data: {color: blue}}
  then: [{object: ConfigMap/default/a, fields: {data.color: blue, data.weight: null}}]
- {title: It goes, delete: ConfigMap/default/a, then: [{object: ConfigMap/default/a, absent: true}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `A ConfigMap is painted

1. wait
   ConfigMap/kube-root-ca.crt
     color: 
     size: 

2. create
   ConfigMap/a
     color: red
     size: 1
   write: create configmaps "default/a"

3. It is painted
   ConfigMap/a
     color: blue
   write: patch configmaps "default/a"

4. It goes
   ConfigMap/a is gone
   write: delete configmaps "default/a"
`
	if report != want {
		t.Errorf("got\n%s", report)
	}
}

func TestAFaultOfAStepSaysWhere(t *testing.T) {
	for name, c := range map[string]struct{ steps, want string }{
		"an object that does not exist":    {"- delete: ConfigMap/default/b\n", "x.yaml:3: delete: ConfigMap/default/b does not exist"},
		"a kind that does not exist":       {"- delete: Widget/b\n", `x.yaml:3: delete: kind "Widget" is not served`},
		"an object without a name":         {"- delete: ConfigMap\n", `x.yaml:3: delete: "ConfigMap" is not Kind/name or Kind/namespace/name`},
		"a user who may not":               {"- {as: nobody, delete: ConfigMap/default/b}\n", `x.yaml:3: delete: configmaps "b" is forbidden`},
		"a time that is none":              {"- wait: soon\n", `x.yaml:3: wait: time: invalid duration "soon"`},
		"a time that is too long":          {"- wait: 9999h\n", "x.yaml:3: wait: the duration is 9999h0m0s; write a duration longer than 0 and at most 744h0m0s"},
		"a fault that does nothing":        {"- fail: {verb: create}\n", "x.yaml:3: fail: set exactly one of code, delay, lose, loseResponse and kill"},
		"a fault with an unknown field":    {"- fail: {verb: create, status: 500}\n", `x.yaml:3: fail: unknown field "status"; the fields are code, delay, kill, lose, loseResponse, name, namespace, nth, resource, times, user, verb, writes`},
		"a process that does not run":      {"- fail: {verb: create, kill: manager}\n", `x.yaml:3: fail: process "manager" does not run`},
		"an apply of nothing":              {"- apply: {every: 1m}\n", "x.yaml:3: apply: object is missing"},
		"an apply that is too frequent":    {"- apply: {object: {}, every: 1s}\n", "x.yaml:3: apply: every is 1s; the minimum is 10s"},
		"a watch that does not exist":      {"- cut: {resource: widgets.example.com}\n", "x.yaml:3: cut: no open watch matches"},
		"a fault that applies to nothing":  {create + "- fail: {resource: deployments, code: 500}\n", "x.yaml:4: fail: the fault applied to no request; check user, verb, resource (such as deployments.apps, or"},
		"a fault with a verb that is none": {"- fail: {verb: creat, code: 500}\n", `x.yaml:3: fail: no request has verb "creat"; write one of get, list,`},
		"a fault that begins too late":     {"- fail: {resource: configmaps, verb: create, nth: 2, code: 500}\n" + create, "x.yaml:3: fail: the fault applied to no request, because only 1 matched"},
		"a fault of a subresource":         {create + "- fail: {resource: configmaps/status, code: 500}\n- patch: {object: ConfigMap/default/a, data: {color: blue}}\n", "x.yaml:4: fail: the fault applied to no request"},
		"a fault that begins nowhere":      {"- fail: {nth: -1, code: 500}\n", "x.yaml:3: fail: nth is -1; requests are counted from 1"},
		"a fault with odd times":           {"- fail: {times: -2, code: 500}\n", "x.yaml:3: fail: times is -2; write a number of requests, or -1 for all"},
		"a fault that is none":             {"- fail: {code: 200}\n", "x.yaml:3: fail: code is 200; write a status from 400 to 599"},
		"a delay into the past":            {"- fail: {delay: -5s}\n", "x.yaml:3: fail: delay is -5s; it must be longer than 0"},
		"a watch's response":               {"- fail: {verb: watch, loseResponse: true}\n", "x.yaml:3: fail: a watch has no response that could be lost; cut it"},
		"a watch that is cut with a code":  {"- cut: {code: 500}\n", `x.yaml:3: cut: unknown field "code"; the fields are name, namespace, resource, user, verb, writes`},
		"a compaction of something":        {"- compact: {resource: configmaps}\n", `x.yaml:3: compact: unknown field "resource"; this takes no fields, so write {}`},
		"an object with an unknown field":  {"- create: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, dta: {}}\n", `x.yaml:3: create: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"`},
		"a patch of an unknown field":      {create + "- patch: {object: ConfigMap/default/a, dta: {}}\n", `x.yaml:4: patch:  "" is invalid: patch: Invalid value: `},
		"a creation without a namespace":   {"- create: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", `x.yaml:3: create: "ConfigMap/a" has no namespace; write metadata.namespace`},
		"an apply without a namespace":     {"- apply: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}\n", `x.yaml:3: apply: "ConfigMap/a" has no namespace; write metadata.namespace`},
		"an object without its namespace":  {create + "  then: [{object: ConfigMap/b, absent: true}]\n", `x.yaml:4: "ConfigMap/b" has no namespace; write Kind/namespace/name`},
		"a namespace of what has none":     {create + "  then: [{object: Namespace/a/b, absent: true}]\n", `x.yaml:4: "Namespace/a/b" has a namespace, and its kind has none; write Kind/name`},
		"an expectation that does not hold": {create + "  then:\n  - {object: ConfigMap/default/a, fields: {data.color: blue}}\n",
			`x.yaml:5: ConfigMap/default/a: data.color is "red", not "blue"`},
		"a field of what is not there": {create + "  then: [{object: ConfigMap/default/a, fields: {dat.color: null}}]\n",
			"x.yaml:4: ConfigMap/default/a: dat.color cannot be compared: field dat does not exist or is not an object"},
		"a path into a list": {create + "  then: [{object: Namespace/default, fields: {spec.finalizers.0: kubernetes}}]\n",
			"x.yaml:4: Namespace/default: spec.finalizers.0 cannot be compared: field spec.finalizers does not exist or is not an object; a path cannot lead into a list"},
		"a field that is not there":     {create + "  then: [{object: ConfigMap/default/a, fields: {data.weight: '1'}}]\n", `x.yaml:4: ConfigMap/default/a: data.weight does not exist, but must be "1"`},
		"an object that is not there":   {create + "  then: [{object: ConfigMap/default/b, fields: {data.weight: '1'}}]\n", "x.yaml:4: ConfigMap/default/b does not exist"},
		"an object that should be gone": {create + "  then: [{object: ConfigMap/default/a, absent: true}]\n", "x.yaml:4: ConfigMap/default/a exists, but must be absent"},
		"a condition that is not there": {create + "  then: [{object: ConfigMap/default/a, conditions: {Ready: 'True'}}]\n", "x.yaml:4: ConfigMap/default/a: condition Ready is not set"},
		"a cluster that never settles":  {create + "- busy:\n", "x.yaml:4: the cluster has not settled within 10m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runStory(t, "title: A fault\nsteps:\n"+c.steps)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s…", err, c.want)
			}
			if strings.Contains(c.want, "settled") && !strings.Contains(err.Error(), `system:admin: patch configmaps "default/a"`) {
				t.Errorf("%v does not say what was still running", err)
			}
		})
	}
}

func TestAStepThatIsRefused(t *testing.T) {
	const bad, good = "- {refused: %s, patch: {object: ConfigMap/default/a, data: {size: 1}}}\n", "- {refused: %s, patch: {object: ConfigMap/default/a, data: {size: '2'}}}\n"
	const forbidden = "- {refused: %s, as: nobody, delete: ConfigMap/default/a}\n"
	const missing = "- {refused: %s, delete: ConfigMap/default/b}\n"
	for name, c := range map[string]struct{ step, refused, want string }{
		"an invalid request that must be refused":              {bad, "must", ""},
		"an invalid request that may be refused":               {bad, "may", ""},
		"a forbidden request that must be refused":             {forbidden, "must", ""},
		"a valid request that must be refused":                 {good, "must", "x.yaml:4: patch: the API server accepted the request, but must refuse it"},
		"a valid request that may be refused":                  {good, "may", ""},
		"an object that does not exist, which must be refused": {missing, "must", "x.yaml:4: delete: ConfigMap/default/b does not exist"},
		"an object that does not exist, which may be refused":  {missing, "may", ""},
		"a kind that does not exist":                           {"- {refused: %s, delete: Widget/b}\n", "may", `x.yaml:4: delete: kind "Widget" is not served`},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := runStory(t, "title: A refusal\nsteps:\n"+create+fmt.Sprintf(c.step, c.refused))
			if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s…", err, c.want)
			}
			if c.want == "" && c.step != good && !strings.Contains(report, "   refused: ") {
				t.Errorf("the report does not have the refusal:\n%s", report)
			}
		})
	}
}

func TestAGoldenFileIsComparedByLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.golden")
	if err := story.Golden(file, "one\ntwo\n", false); err == nil || !strings.Contains(err.Error(), "write it with -update") {
		t.Errorf("without a file: %v", err)
	}
	if err := story.Golden(file, "one\ntwo\n", true); err != nil {
		t.Fatal(err)
	}
	if err := story.Golden(file, "one\ntwo\n", false); err != nil {
		t.Error(err)
	}
	if err := story.Golden(file, "one\nthree\n", false); err == nil || !strings.Contains(err.Error(), `"three"`) {
		t.Errorf("another report: %v", err)
	}
}

func TestAStoryThatContinuesAnotherOneReportsWhatItsOwnStepsChange(t *testing.T) {
	report, err := runStory(t, "title: A second story\nfrom: first.yaml\nsteps:\n"+create)
	if err != nil {
		t.Fatal(err)
	}
	const want = `A second story

1. create
   ConfigMap/a
     color: red
     size: 1
   write: create configmaps "default/a"
`
	if report != want { // the cluster had ConfigMap kube-root-ca.crt before
		t.Errorf("got\n%s", report)
	}
}

const pod = "- create: {apiVersion: v1, kind: Pod, metadata: {namespace: default, name: a}, spec: {nodeName: worker-0, containers: [{name: a, image: a}]}}\n"

func TestPodsBehaveAsAStorySays(t *testing.T) {
	_, err := runStory(t, "title: A Pod fails, and recovers\nsteps:\n"+
		"- pods: {default: {waiting: ImagePullBackOff, message: no such image}}\n"+pod+
		"  then: [{object: Pod/default/a, conditions: {Ready: 'False'}, fields: {status.phase: Pending}}]\n"+
		"- pods: {default: {notReady: true}}\n"+
		"  then: [{object: Pod/default/a, conditions: {Ready: 'False'}, fields: {status.phase: Running}}]\n"+
		"- pods: {}\n"+
		"  then: [{object: Pod/default/a, conditions: {Ready: 'True'}}]\n")
	if err != nil {
		t.Error(err)
	}
}

// An informer of ConfigMaps continues after its watch was cut, and after the history that it needs was compacted.
func TestWatchesAreCutAndHistoryIsDropped(t *testing.T) {
	for _, steps := range []string{"- cut: {user: reader}\n", "- compact:\n"} {
		synctest.Test(t, func(t *testing.T) {
			cluster, err := scenario.Start(t.Context(), scenario.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer cluster.Stop()
			client, err := kubernetes.NewForConfig(cluster.ClientConfig(scenario.AdminUser))
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := context.WithCancel(t.Context())
			factory := informers.NewSharedInformerFactory(client, 0)
			lister := factory.Core().V1().ConfigMaps().Lister()
			factory.Start(ctx.Done())
			defer factory.Shutdown()
			defer end()
			steps = strings.ReplaceAll(steps, "reader", scenario.AdminUser)
			verbs := story.Verbs()
			read, err := story.Parse("x.yaml", []byte("title: A reader\nsteps:\n"+create+steps+
				"- patch: {object: ConfigMap/default/a, data: {color: blue}}\n"), verbs)
			if err != nil {
				t.Fatal(err)
			}
			runner := story.Runner{Cluster: cluster, Verbs: verbs}
			if _, err := runner.Run(ctx, read); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute) // until the reader has listed again
			found, err := lister.ConfigMaps("default").Get("a")
			if err != nil || found.Data["color"] != "blue" {
				t.Errorf("after %q the reader has %v, %v", steps, found, err)
			}
		})
	}
}

func TestAReportWithoutStateAndOperatorDoesNotSayThatNothingChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		read, err := story.Parse("x.yaml", []byte("title: A\nsteps:\n"+create), story.Verbs())
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			operator []string
			want     string
		}{
			{nil, "1. create\n   no Event; without Runner.State and Runner.Operator, the report has no other changes\n"},
			{[]string{"a"}, "\n   nothing changed\n"},
		} {
			runner := story.Runner{Cluster: cluster, Verbs: story.Verbs(), Operator: test.operator}
			if report, err := runner.Run(t.Context(), read); err != nil || !strings.HasSuffix(report, test.want) {
				t.Errorf("got %q and the error %v, want a report that ends with %q", report, err, test.want)
			}
			read.Steps[0].Refused = story.MayBeRefused // the object exists
		}
	})
}
