package apply_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/scenario"
)

func TestNothingIsCreatedForAnOwnerThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on(t, nil, func(f *fixture) {
			gone, asked := errors.New("the owner is gone"), 0
			_, err := f.engine.Apply(t.Context(), versionOne(t), apply.Options{Gated: true, Confirm: func(context.Context) error { asked++; return gone }})
			if !errors.Is(err, gone) || asked != 1 {
				t.Errorf("got error %v after %d confirmations", err, asked)
			}
			if slices.ContainsFunc(f.cluster.Requests(), func(r scenario.Request) bool {
				return r.User == engineUser && r.Verb == "create" && r.Resource.Resource != "selfsubjectrulesreviews"
			}) {
				t.Error("the engine creates objects")
			}
			if problems := f.apply(versionOne(t), apply.Options{Gated: true, Confirm: func(context.Context) error { return nil }}); slices.ContainsFunc(problems, isFault) {
				t.Errorf("of an existing owner: %v", problems)
			}
		})
	})
}

func TestNothingIsWrittenForAnOwnerThatHasChanged(t *testing.T) {
	tests := map[string]struct {
		edit    func(f *fixture)
		options apply.Options
	}{
		"a declared field differs": {func(f *fixture) { f.patch(configMaps, "settings", `{"data":{"from":"me"}}`) }, apply.Options{Gated: true}},
		"a field was added": {
			func(f *fixture) { f.patch(configMaps, "settings", `{"data":{"mine":"too"}}`) },
			apply.Options{Gated: true, Drift: corev1alpha2.Drift{Additions: corev1alpha2.AdditionsRemove}},
		},
		"an object of another client can be adopted": {
			func(f *fixture) {
				f.delete(configMaps, "settings")
				f.create(configMaps, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: memo}, data: {from: me}}")
			},
			apply.Options{Gated: true, Adoption: corev1alpha2.AdoptionAny},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on(t, nil, func(f *fixture) {
					f.apply(versionOne(t), apply.Options{Gated: true})
					tc.edit(f)
					changed := errors.New("the owner is paused")
					edited := f.state()
					tc.options.Confirm = func(context.Context) error { return changed }
					_, err := f.engine.Apply(t.Context(), versionOne(t), tc.options)
					if !errors.Is(err, changed) {
						t.Errorf("got %v, want the error of Confirm", err)
					}
					if diff := cmp.Diff(edited, f.state()); diff != "" {
						t.Errorf("the objects changed (-want +got):\n%s", diff)
					}
					tc.options.Confirm = func(context.Context) error { return nil }
					f.apply(versionOne(t), tc.options)
					if cmp.Diff(edited, f.state()) == "" {
						t.Error("the change stays after Confirm has confirmed the owner")
					}
				})
			})
		})
	}
}

// In a bubble, time does not pass while a goroutine waits for a lock. Therefore this test hangs if a lock is held during the confirmation.
func TestObjectsOfAPhaseWaitForOneConfirmation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on(t, nil, func(f *fixture) {
			const slow = time.Second
			asked := 0
			f.apply(versionOne(t), apply.Options{Gated: true})
			f.delete(configMaps, "settings")
			f.delete(configMaps, "obsolete")
			begin := time.Now()
			problems := f.apply(versionOne(t), apply.Options{Gated: true, Confirm: func(context.Context) error {
				asked++
				time.Sleep(slow)
				return nil
			}})
			if slices.ContainsFunc(problems, isFault) || asked != 1 || time.Since(begin) < slow {
				t.Errorf("after %s, %d confirmations: %v", time.Since(begin), asked, problems)
			}
		})
	})
}
