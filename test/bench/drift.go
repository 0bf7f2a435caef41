package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
)

const (
	driftSeed = 20 // seed for choosing the objects and edits, so that every run makes the same ones
	// repairLimit is the maximum time until one edit is repaired.
	repairLimit = time.Minute
)

// driftSizes are the numbers of edits and objects. Each object is edited at most once, because the manager delays repairs of a field that
// is edited again and again.
var driftSizes = []struct{ edits, objects int }{{100, 130}, {1000, 1300}}

// repairs are the times of all repairs at one size, in seconds.
type repairs struct {
	edits, objects int
	ours, plain    []float64
}

// measureDrift edits and deletes objects one after the other and measures how long each repair takes. The manager and a loop that watches a
// namespace take turns.
func measureDrift(ctx context.Context, dir string, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{}, logf, func(ctx context.Context, l *live) (part, error) {
		var all []repairs
		for _, size := range driftSizes {
			measured := repairs{edits: size.edits, objects: size.objects}
			if err := l.driftRound(ctx, &measured); err != nil {
				return part{}, fmt.Errorf("repairing %d edits of %d objects: %w", size.edits, size.objects, err)
			}
			logf("%d edits of %d objects were repaired: manager p50 %s, p95 %s; plain loop p50 %s", size.edits, size.objects,
				seconds.format(percentile(measured.ours, 50)), seconds.format(percentile(measured.ours, 95)), seconds.format(percentile(measured.plain, 50)))
			all = append(all, measured)
		}
		return driftPart(all), nil
	})
}

func (l *live) driftRound(ctx context.Context, measured *repairs) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	managed := bulk.Bundle{Name: fmt.Sprintf("managed-%d", measured.edits), Objects: measured.objects}
	ref, err := l.publish(ctx, managed)
	if err != nil {
		return err
	}
	if _, err := l.deploy(ctx, managed.Name, ref); err != nil {
		return err
	}
	plain := bulk.Bundle{Name: fmt.Sprintf("plain-%d", measured.edits), Objects: measured.objects}
	operator, err := renderForLoop(plain)
	if err != nil {
		return err
	}
	if _, err := l.loop.install(ctx, []rendered{operator}, engineParallel); err != nil {
		return err
	}
	failed := make(chan error, 1)
	if err := l.repairByLoop(ctx, operator, failed); err != nil {
		return err
	}
	ours, err := l.newEditor(ctx, managed)
	if err != nil {
		return err
	}
	theirs, err := l.newEditor(ctx, plain)
	if err != nil {
		return err
	}
	for range measured.edits {
		for _, side := range []struct {
			editor *editor
			took   *[]float64
		}{{ours, &measured.ours}, {theirs, &measured.plain}} {
			took, err := side.editor.edit(ctx)
			if err != nil {
				select {
				case loopErr := <-failed:
					err = errors.Join(err, loopErr)
				default:
				}
				return err
			}
			*side.took = append(*side.took, took.Seconds())
		}
	}
	return nil
}

// repairByLoop starts the baseline, a goroutine that watches the ConfigMaps of the operator's namespace until ctx ends. The goroutine
// applies each ConfigMap that was deleted or differs from its declaration. It sends its first error to failed and ends.
func (l *live) repairByLoop(ctx context.Context, operator rendered, failed chan<- error) error {
	declared := map[string]*unstructured.Unstructured{}
	for i := range operator.objects {
		if operator.objects[i].GetKind() == "ConfigMap" {
			declared[operator.objects[i].GetName()] = &operator.objects[i]
		}
	}
	events, err := l.admin.Kubernetes.CoreV1().ConfigMaps(operator.namespace).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	go func() {
		defer events.Stop()
		for event := range events.ResultChan() {
			configMap, ok := event.Object.(*corev1.ConfigMap)
			if !ok || declared[configMap.Name] == nil || event.Type != watch.Deleted && asDeclared(configMap, declared[configMap.Name]) {
				continue
			}
			if err := l.loop.apply(ctx, declared[configMap.Name]); err != nil && ctx.Err() == nil {
				failed <- err
				return
			}
		}
	}()
	return nil
}

func asDeclared(configMap *corev1.ConfigMap, declared *unstructured.Unstructured) bool {
	data, _, _ := unstructured.NestedStringMap(declared.Object, "data")
	for key, value := range data {
		if configMap.Data[key] != value {
			return false
		}
	}
	for key, value := range declared.GetLabels() {
		if configMap.Labels[key] != value {
			return false
		}
	}
	return true
}

// editor edits or deletes the ConfigMaps of one bundle and watches their repair.
type editor struct {
	client   typedcorev1.ConfigMapInterface
	declared map[string]*unstructured.Unstructured
	names    []string // in the order of the edits
	random   *rand.Rand
	events   watch.Interface
}

func (l *live) newEditor(ctx context.Context, bundle bulk.Bundle) (*editor, error) {
	operator, err := renderForLoop(bundle)
	if err != nil {
		return nil, err
	}
	e := &editor{
		client:   l.admin.Kubernetes.CoreV1().ConfigMaps(bundle.Name),
		declared: map[string]*unstructured.Unstructured{}, random: rand.New(rand.NewPCG(driftSeed, uint64(bundle.Objects))),
	}
	for i := range operator.objects {
		if operator.objects[i].GetKind() == "ConfigMap" {
			e.declared[operator.objects[i].GetName()] = &operator.objects[i]
			e.names = append(e.names, operator.objects[i].GetName())
		}
	}
	slices.Sort(e.names)
	e.random.Shuffle(len(e.names), func(i, j int) { e.names[i], e.names[j] = e.names[j], e.names[i] })
	e.events, err = e.client.Watch(ctx, metav1.ListOptions{})
	return e, err
}

// edit changes the next object and returns the time from sending the change until a watch shows the repaired object. It returns an error
// after repairLimit, or if no object is left.
func (e *editor) edit(ctx context.Context) (time.Duration, error) {
	if len(e.names) == 0 {
		return 0, errors.New("editing an object: there are fewer objects than edits")
	}
	name := e.names[0]
	e.names = e.names[1:]
	start := time.Now()
	err := e.change(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("editing ConfigMap %q: %w", name, err)
	}
	timeout := time.NewTimer(repairLimit)
	defer timeout.Stop()
	changed := false
	for {
		select {
		case event, open := <-e.events.ResultChan():
			if !open {
				return 0, fmt.Errorf("watching ConfigMap %q: the watch ended", name)
			}
			configMap, ok := event.Object.(*corev1.ConfigMap)
			if !ok || configMap.Name != name {
				continue
			}
			isDeclared := event.Type != watch.Deleted && asDeclared(configMap, e.declared[name])
			if changed && isDeclared {
				return time.Since(start), nil
			}
			changed = changed || !isDeclared
		case <-timeout.C:
			return 0, fmt.Errorf("waiting for ConfigMap %q to be repaired: it was not repaired within %s", name, repairLimit)
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (e *editor) change(ctx context.Context, name string) error {
	var err error
	switch e.random.IntN(3) {
	case 0:
		err = e.client.Delete(ctx, name, metav1.DeleteOptions{})
	case 1:
		_, err = e.client.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"labels":{"app":null}}}`), metav1.PatchOptions{})
	default:
		_, err = e.client.Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"number":"edited"}}`), metav1.PatchOptions{})
	}
	return err
}

// percentile returns the nearest-rank percentile: the smallest value for which at least percent % of the values are not larger. It returns
// 0 if there are no values.
func percentile(values []float64, percent int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*percent+99)/100-1]
}

func driftPart(all []repairs) part {
	p := part{
		title: "Repairing drift",
		text: "ConfigMaps of an installed bundle are changed one after the other: a declared value is edited, a declared label is removed, or the object is deleted. A fixed seed chooses the order and the changes, and each object is changed once. The time is from sending the change until a watch shows the declared object again.\n\n" +
			"The baseline watches the ConfigMaps of one namespace and applies those that differ, from memory. It has no revisions, status, order or collision checks.",
		ours: "manager", baseline: "watch and apply",
	}
	for _, m := range all {
		for _, percent := range []int{50, 95, 99} {
			p.figures = append(p.figures, figure{
				name: fmt.Sprintf("%d edits of %d objects: p%d", m.edits, m.objects, percent), unit: seconds,
				ours: percentile(m.ours, percent), baseline: percentile(m.plain, percent), n: m.edits,
			})
		}
	}
	p.details = growth("edits", len(all), func(i int) (string, float64, float64) {
		return fmt.Sprint(all[i].edits), percentile(all[i].ours, 95), percentile(all[i].plain, 95)
	})
	p.details.caption = "Growth of p95, each row relative to the previous size; the bundle grows with the number of edits:"
	return p
}
