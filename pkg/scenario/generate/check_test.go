package generate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// defect is a deliberate bug of the operator in these tests.
type defect string

const (
	none           defect = ""
	ignoresChanges defect = "it ignores changes of a spec"
	countsStarts   defect = "it counts its starts in the copy"
	ends           defect = "it ends during the story"
	neverRests     defect = "it writes the time into the copy"
	writesAgain    defect = "it writes each copy again when it starts"
	neverGivesUp   defect = "it repeats a write that is refused"
)

// copier copies the spec of each Widget to a ConfigMap of the same name.
type copier struct {
	defect defect
	starts int
}

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

func (c *copier) underTest(kind *generate.Kind, definition *unstructured.Unstructured) harness.Operator {
	const user = scenario.AdminUser + ":copier"
	operator := harness.Operator{
		Users: []string{user}, Interval: 5 * time.Minute,
		Normalize: func(object *unstructured.Unstructured) (bool, error) { return object.GetKind() == "ConfigMap", nil },
	}
	operator.Open = func(ctx context.Context, from harness.Checkpoint) (*harness.System, error) {
		cluster, err := scenario.Start(ctx, scenario.Options{From: from.Cluster})
		if err != nil {
			return nil, err
		}
		if err := prepare(ctx, cluster, definition, user); err != nil && !apierrors.IsAlreadyExists(err) {
			cluster.Stop()
			return nil, err
		}
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		var running sync.WaitGroup
		runs := false
		return &harness.System{
			Runner: &story.Runner{Cluster: cluster, Verbs: story.Verbs()},
			StartOperator: func() error {
				client, err := dynamic.NewForConfig(cluster.ClientConfig(user))
				runs, c.starts = true, c.starts+1
				running.Go(func() { c.run(ctx, client, kind) })
				return err
			},
			IsOperatorRunning: func() bool { return runs && c.defect != ends },
			Save:              func() (any, error) { return nil, nil },
			Stop: func() error {
				stop()
				running.Wait()
				cluster.Stop()
				return nil
			},
		}, nil
	}
	return operator
}

func prepare(ctx context.Context, cluster *scenario.Cluster, definition *unstructured.Unstructured, user string) error {
	client, err := dynamic.NewForConfig(cluster.ClientConfig(scenario.AdminUser))
	if err != nil {
		return err
	}
	bindings := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"}
	binding := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": "copier"},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
		"subjects": []any{map[string]any{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}},
	}}
	if _, err := client.Resource(bindings).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	return cluster.Settle()
}

// run copies all Widgets every 30 seconds. It ignores errors, because it retries after 30 seconds.
func (c *copier) run(ctx context.Context, client dynamic.Interface, kind *generate.Kind) {
	for isFirst := true; ; isFirst = false {
		if c.defect == neverGivesUp {
			_, _ = client.Resource(configMaps).Namespace("no-such-namespace").Create(ctx, configMap("a", nil), metav1.CreateOptions{})
		}
		list, err := client.Resource(kind.Resource).List(ctx, metav1.ListOptions{})
		for i := 0; err == nil && i < len(list.Items); i++ {
			_ = c.copy(ctx, client.Resource(configMaps).Namespace("default"), &list.Items[i], isFirst)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(30 * time.Second):
		}
	}
}

func (c *copier) copy(ctx context.Context, client dynamic.ResourceInterface, widget *unstructured.Unstructured, isFirst bool) error {
	spec, err := json.Marshal(widget.Object["spec"])
	if err != nil {
		return err
	}
	data := map[string]any{"spec": string(spec)}
	switch c.defect {
	case countsStarts:
		data["starts"] = fmt.Sprint(c.starts)
	case neverRests:
		data["time"] = time.Now().String()
	}
	live, err := client.Get(ctx, widget.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = client.Create(ctx, configMap(widget.GetName(), data), metav1.CreateOptions{})
		return err
	}
	writesAnyway := isFirst && c.defect == writesAgain
	isCurrent := fmt.Sprint(live.Object["data"]) == fmt.Sprint(data)
	if err != nil || c.defect == ignoresChanges || isCurrent && !writesAnyway {
		return err
	}
	live.Object["data"] = data
	_, err = client.Update(ctx, live, metav1.UpdateOptions{})
	return err
}

func configMap(name string, data map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}, "data": data,
	}}
}

const widgetIsPainted = `
title: A widget is changed
steps:
- create: {apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 1, serial: "1"}}
- wait: 1m
- patch: {object: Widget/a, spec: {size: 2}}
`

// widgetDefinition returns the CustomResourceDefinition of Widget as an object.
func widgetDefinition(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	definitions := widgets(t, paintedProperties)
	definitions[0].Spec.Scope, definitions[0].Spec.Versions[1].Served = apiextensionsv1.ClusterScoped, true
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definitions[0])
	if err != nil {
		t.Fatal(err)
	}
	definition := &unstructured.Unstructured{Object: content}
	definition.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	return definition
}

func TestAnOracleFindsDefects(t *testing.T) {
	definition := widgetDefinition(t)
	read, err := story.Parse("painted.yaml", []byte(widgetIsPainted), story.Verbs())
	if err != nil {
		t.Fatal(err)
	}
	impossible, err := story.Parse("impossible.yaml", []byte("title: A widget that does not exist\nsteps:\n- delete: Widget/b\n"), story.Verbs())
	if err != nil {
		t.Fatal(err)
	}
	stepIsWrong := func(context.Context, *harness.System, story.Step) error { return errors.New("the step is wrong") }
	isWrong := func(context.Context, *harness.System) error { return errors.New("the size is wrong") }
	for name, test := range map[string]struct {
		defect defect
		story  *story.Story
		check  func(context.Context, *harness.System) error
		after  func(context.Context, *harness.System, story.Step) error
		want   string // a part of the error, or empty if Check must succeed
	}{
		"the operator has no defect":      {none, read, nil, nil, ""},
		"CheckState finds an error":       {none, read, isWrong, nil, "the size is wrong"},
		"AfterStep finds an error":        {none, read, nil, stepIsWrong, "painted.yaml:4: the step is wrong"},
		string(ends):                      {ends, read, nil, nil, "the operator does not run at the end of the story"},
		string(ignoresChanges):            {ignoresChanges, read, nil, nil, "differs from the reference"},
		string(countsStarts):              {countsStarts, read, nil, nil, "a restart of the operator changes the cluster"},
		string(neverRests):                {neverRests, read, nil, nil, "the operator is not at rest"},
		string(writesAgain):               {writesAgain, read, nil, nil, "the operator sends 1 excess writes after a restart"},
		string(neverGivesUp):              {neverGivesUp, read, nil, nil, "the API server still refuses its writes, 10 times in the last 5m0s"},
		"a step that cannot be performed": {none, impossible, nil, nil, "Widget/b does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			kind := painted(t)
			operator := (&copier{defect: test.defect}).underTest(kind, definition)
			from := harness.Checkpoint{IsOperatorRunning: true}
			oracle := generate.Oracle{
				Operator: operator, From: from, CheckState: test.check, AfterStep: test.after, Reference: generate.SimpleReference(operator, from, []*generate.Kind{kind}),
			}
			synctest.Test(t, func(t *testing.T) {
				err := oracle.Check(t.Context(), test.story)
				if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("got error %v, want one with %q", err, test.want)
				}
				if isStep := errors.As(err, new(generate.StepError)); isStep != (test.story == impossible) {
					t.Errorf("the error is a StepError: %t", isStep)
				}
			})
		})
	}
}

// A change that the operator makes because of Finish is judged like one that it makes because of the story.
func TestAnOracleChecksTheStepsOfFinish(t *testing.T) {
	kind, definition := painted(t), widgetDefinition(t)
	read, err := story.Parse("painted.yaml", []byte(widgetIsPainted), story.Verbs())
	if err != nil {
		t.Fatal(err)
	}
	larger, err := story.NewArguments(map[string]any{"object": "Widget/a", "spec": map[string]any{"size": 3}})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		fails string // the verb of the step after which AfterStep returns an error
		steps string
		want  string // a part of the error, or empty if Check must succeed
	}{
		"no step is wrong":              {"none", "create wait patch patch rest rest", ""},
		"the step of Finish is wrong":   {"patch patch", "create wait patch patch", "finishing the story: patch: the size is wrong"},
		"the state at rest is wrong":    {"rest", "create wait patch patch rest", "finishing the story: the size is wrong"},
		"the state at the end is wrong": {"rest rest", "create wait patch patch rest rest", "the size is wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			var steps []string
			oracle := generate.Oracle{
				Operator: (&copier{}).underTest(kind, definition), From: harness.Checkpoint{IsOperatorRunning: true},
				AfterStep: func(_ context.Context, _ *harness.System, step story.Step) error {
					steps = append(steps, cmp.Or(step.Verb, "rest"))
					if strings.HasSuffix(strings.Join(steps, " "), test.fails) {
						return errors.New("the size is wrong")
					}
					return nil
				},
				Finish: func(ctx context.Context, ended generate.CheckedSystem) error {
					if err := ended.Do(ctx, story.Step{Verb: "patch", Arguments: larger}); err != nil {
						return err
					}
					return ended.WaitForRest(ctx)
				},
			}
			synctest.Test(t, func(t *testing.T) {
				err := oracle.Check(t.Context(), read)
				if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("got error %v, want one with %q", err, test.want)
				}
			})
			if got := strings.Join(steps, " "); got != test.steps {
				t.Errorf("AfterStep was called after %q, want %q", got, test.steps)
			}
		})
	}
}

// An operator may be unable to know what it has written before. Its author then permits the writes.
func TestAnOracleAcceptsPermittedWritesAfterARestart(t *testing.T) {
	kind, definition := painted(t), widgetDefinition(t)
	read, err := story.Parse("painted.yaml", []byte(widgetIsPainted), story.Verbs())
	if err != nil {
		t.Fatal(err)
	}
	oracle := generate.Oracle{
		Operator: (&copier{defect: writesAgain}).underTest(kind, definition), From: harness.Checkpoint{IsOperatorRunning: true},
		ExcessWrites: func(_ context.Context, _ *harness.System, writes []scenario.Request) ([]scenario.Request, error) {
			if len(writes) != 1 || writes[0].Verb != "update" || writes[0].Name != "a" {
				return nil, fmt.Errorf("unexpected writes: %v", writes)
			}
			return nil, nil
		},
	}
	synctest.Test(t, func(t *testing.T) {
		if err := oracle.Check(t.Context(), read); err != nil {
			t.Error(err)
		}
	})
}
