package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/steady"
)

func TestPercentile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[len(hundred)-1-i] = float64(i + 1)
	}
	for percent, want := range map[int]float64{1: 1, 50: 50, 95: 95, 99: 99, 100: 100} {
		if got := percentile(hundred, percent); got != want {
			t.Errorf("p%d is %v, want %v", percent, got, want)
		}
	}
	if got := percentile([]float64{7}, 95); got != 7 {
		t.Errorf("p95 of one value is %v", got)
	}
	if got := percentile(nil, 95); got != 0 {
		t.Errorf("p95 of none is %v", got)
	}
}

func TestParseProcessorTime(t *testing.T) {
	got, err := parseProcessorTime("42 (a) R 1 (b) S 1 42 42 0 -1 4194304 9 0 0 0 150 50 0 0 20 0 9 0 1 2 3")
	if err != nil || got != 2 {
		t.Errorf("got %v, %v; want 2 s", got, err)
	}
	if _, err := parseProcessorTime("42 (a) S 1"); err == nil {
		t.Error("a line without times was read")
	}
	if _, err := processorTime(os.Getpid()); err != nil {
		t.Error(err)
	}
}

func TestWatchPeak(t *testing.T) {
	const much = 64 << 20
	p, err := watchPeak(t.Context(), os.Getpid(), func() error {
		held := bytes.Repeat([]byte{1}, much)
		for p, err := readResidentMemory(os.Getpid()); err == nil && p.anonymous < much; {
			p, err = readResidentMemory(os.Getpid())
		}
		deadline, cancel := context.WithTimeout(t.Context(), sampleInterval*20)
		defer cancel()
		<-deadline.Done()
		held[0] = 2
		return nil
	})
	if err != nil || p.extra() < much/2 {
		t.Errorf("holding %d bytes was measured as %v more, %v", much, p.extra(), err)
	}
}

func TestAsDeclared(t *testing.T) {
	operator, err := renderForLoop(bulk.Bundle{Name: "b", Objects: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range operator.objects {
		declared := &operator.objects[i]
		if declared.GetKind() != "ConfigMap" {
			continue
		}
		whole := func() *corev1.ConfigMap {
			data := map[string]string{"more": "of somebody"}
			for key, value := range declared.Object["data"].(map[string]any) {
				data[key], _ = value.(string)
			}
			return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "b", "more": "of somebody"}}, Data: data}
		}
		if !asDeclared(whole(), declared) {
			t.Error("additions of others count as damage")
		}
		unlabelled, edited := whole(), whole()
		delete(unlabelled.Labels, "app")
		edited.Data["number"] = "edited"
		if asDeclared(unlabelled, declared) || asDeclared(edited, declared) {
			t.Error("a removed label or an edited value does not count as damage")
		}
		return
	}
	t.Fatal("the bundle has no ConfigMap")
}

func TestExtractToWritesAllFiles(t *testing.T) {
	registry := bulk.StartRegistry()
	defer registry.Close()
	bundle := bulk.Bundle{Name: "b", Objects: 2, Ballast: 1<<20 + 1}
	image, err := bundle.Image()
	if err != nil {
		t.Fatal(err)
	}
	ref, err := registry.Push(t.Context(), "extracted", image)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := extractTo(ref, dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"manifests/csv.yaml", "manifests/object-00001.yaml", "ballast/0001"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	before := registry.Pulls()
	if err := pullOnce(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	if got := registry.Pulls().Since(before); got.Blobs != 2 || got.Manifests != 1 {
		t.Errorf("one pull was counted as %+v", got)
	}
}

func TestClusterPartsHaveBaselinesAndGrowth(t *testing.T) {
	for name, tc := range map[string]struct {
		part part
		want []figure
		rows [][]string
	}{
		"a large bundle": {
			bulkPart([]bulkInstalls{{500, []float64{2}, []float64{1}, []float64{3}}, {5000, []float64{20, 40}, []float64{11, 9}, []float64{30}}}),
			[]figure{
				{"500 objects; baseline plain loop", seconds, 2, 1, 1}, {"500 objects; baseline kubectl", seconds, 2, 3, 1},
				{"5000 objects; baseline plain loop", seconds, 30, 10, 2}, {"5000 objects; baseline kubectl", seconds, 30, 30, 1},
			},
			[][]string{{"5000", "15×", "10×"}},
		},
		"drift": {
			driftPart([]repairs{{1, 2, []float64{1}, []float64{2}}, {2, 3, []float64{1, 3}, []float64{2, 4}}}),
			[]figure{
				{"1 edits of 2 objects: p50", seconds, 1, 2, 1}, {"1 edits of 2 objects: p95", seconds, 1, 2, 1}, {"1 edits of 2 objects: p99", seconds, 1, 2, 1},
				{"2 edits of 3 objects: p50", seconds, 1, 2, 2}, {"2 edits of 3 objects: p95", seconds, 3, 4, 2}, {"2 edits of 3 objects: p99", seconds, 3, 4, 2},
			},
			[][]string{{"2", "3.0×", "2.0×"}},
		},
		"idle": {
			steadyPart([]idleWindow{
				{processor: 1, memory: residentMemory{10, 20}},
				{managed: 5, others: 6, requests: steady.Requests{Writes: 1, Gets: 2, Lists: 3}, processor: 2, memory: residentMemory{30, 40}},
			}),
			[]figure{
				{"5 objects among 6 others: writes", count, 1, 0, 1}, {"5 objects among 6 others: GETs", count, 2, 0, 1}, {"5 objects among 6 others: LISTs", count, 3, 0, 1},
				{"5 objects among 6 others: processor time", seconds, 2, 1, 1}, {"5 objects among 6 others: anonymous RSS", size, 30, 10, 1}, {"5 objects among 6 others: total RSS", size, 40, 20, 1},
			}, nil,
		},
		"idle with ServiceAccounts": {
			scopedPart(
				scopedIdle{
					idleWindow{requests: steady.Requests{Writes: 1, Gets: 2, Lists: 3}, processor: 2},
					[]residentMemory{{100, 200}, {90, 200}}, []residentMemory{{590, 890}, {610, 910}}, 350},
				scopedIdle{idleWindow{processor: 1}, []residentMemory{{110, 200}, {100, 200}}, []residentMemory{{390, 690}, {410, 710}}, 250}),
			[]figure{
				{"100 deployments: writes", count, 1, 0, 1}, {"100 deployments: GETs", count, 2, 0, 1}, {"100 deployments: LISTs", count, 3, 0, 1},
				{"100 deployments: processor time", seconds, 2, 1, 1}, {"100 deployments: anonymous RSS", size, 600, 400, 2}, {"100 deployments: total RSS", size, 900, 700, 2},
				{"100 deployments: live heap", size, 350, 250, 1}, {"each deployment: anonymous RSS", size, 5, 3, 2},
			}, nil,
		},
		"policies": {
			policiesPart([]policyCosts{{"a change", policyTimes{[]float64{3, 1, 2, 4}, 8}, policyTimes{[]float64{1, 1, 1, 1}, 4}}}),
			[]figure{{"a change: p50", seconds, 2, 1, 4}, {"a change: p95", seconds, 4, 1, 4}, {"a change: in policies, mean", seconds, 2, 1, 4}}, nil,
		},
		"unpacking": {
			unpackPart([]unpackings{{1 << 20, []float64{4}, []float64{2}, []float64{8}, []float64{6}}}),
			[]figure{{"1.00 MiB: memory", size, 4, 2, 1}, {"1.00 MiB: time", seconds, 8, 6, 1}}, nil,
		},
		"pulling": {
			pullsPart([]pulls{{50, bulk.Pulls{Manifests: 1, Blobs: 2}, bulk.Pulls{Manifests: 50, Blobs: 100}}}),
			[]figure{{"50 deployments: manifests", count, 1, 50, 1}, {"50 deployments: layers", count, 2, 100, 1}}, nil,
		},
		"mirrors": {
			mirrorsPart(mirrorPulls{cost{time: 2e9}, cost{time: 6e9}, cost{time: 3e9}, 7, []float64{5, 7, 6}, []float64{4, 4, 4}}),
			[]figure{
				{"first pull through two dead mirrors", seconds, 6, 2, 7}, {"next pull", seconds, 3, 2, 7}, {"20 images: memory", size, 6, 4, 3},
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.part.figures, cmp.AllowUnexported(figure{})); diff != "" {
				t.Errorf("figures (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.rows, tc.part.details.rows); diff != "" {
				t.Errorf("growth (-want +got):\n%s", diff)
			}
		})
	}
}
