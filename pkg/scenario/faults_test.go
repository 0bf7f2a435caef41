package scenario_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// createsConfigMaps matches the creation of a ConfigMap, except by the cluster's own controllers.
func createsConfigMaps(r scenario.Request) bool {
	return r.Verb == "create" && r.Resource.Resource == "configmaps" && !strings.HasPrefix(r.User, "system:serviceaccount:kube-system:")
}

func (s story) createConfigMap(name string) error {
	_, err := s.admin.CoreV1().ConfigMaps("default").Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

// configMaps returns the names of the ConfigMaps in namespace "default", without kube-root-ca.crt.
func (s story) configMaps() (names []string) {
	s.Helper()
	list, err := s.admin.CoreV1().ConfigMaps("default").List(s.Context(), metav1.ListOptions{})
	s.must(err)
	for _, configMap := range list.Items {
		if configMap.Name != "kube-root-ca.crt" {
			names = append(names, configMap.Name)
		}
	}
	return names
}

func TestAFaultAppliesToTheRequestsThatItNames(t *testing.T) {
	run(t, nil, func(s story) {
		for _, test := range []struct {
			name       string
			nth, times int
			want       []string // the ConfigMaps that are created, of "1" to "5"
		}{
			{"the first", 0, 0, []string{"2", "3", "4", "5"}},
			{"two from the second on", 2, 2, []string{"1", "4", "5"}},
			{"all from the third on", 3, scenario.Always, []string{"1", "2"}},
		} {
			injection := s.Inject(scenario.Fault{
				Match: createsConfigMaps, Nth: test.nth, Times: test.times,
				Effect: scenario.Refuse(403, metav1.StatusReasonForbidden, 0),
			})
			for n := range 5 {
				if err := s.createConfigMap(fmt.Sprint(n + 1)); err != nil && !apierrors.IsForbidden(err) {
					t.Errorf("%s: %v", test.name, err)
				}
			}
			if got := s.configMaps(); !slices.Equal(got, test.want) || len(injection.Applied()) != 5-len(test.want) {
				t.Errorf("%s: created %q, want %q; the fault applied to %v", test.name, got, test.want, injection.Applied())
			}
			injection.Remove()
			s.must(s.createConfigMap("after"))
			s.must(s.admin.CoreV1().ConfigMaps("default").DeleteCollection(s.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
			s.must(s.Settle())
		}
	})
}

func TestEffectsOfFaults(t *testing.T) {
	run(t, nil, func(s story) {
		for _, test := range []struct {
			name    string
			effect  scenario.Effect
			want    func(error) bool
			written bool
			took    time.Duration
		}{
			{"a delay", scenario.Delay(time.Minute), func(err error) bool { return err == nil }, true, time.Minute},
			// The client obeys Retry-After, and its second request succeeds.
			{"a refusal", scenario.Refuse(429, metav1.StatusReasonTooManyRequests, 3*time.Second), func(err error) bool { return err == nil }, true, 3 * time.Second},
			{"a lost request", scenario.LoseRequest(nil), func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }, false, 0},
			{"a lost response", scenario.LoseResponse(nil), func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }, true, 0},
		} {
			injection := s.Inject(scenario.Fault{Match: createsConfigMaps, Effect: test.effect})
			began := time.Now()
			if err := s.createConfigMap("c"); !test.want(err) {
				t.Errorf("%s: %v", test.name, err)
			}
			if took := time.Since(began); took != test.took {
				t.Errorf("%s took %s, want %s", test.name, took, test.took)
			}
			if written := len(s.configMaps()) == 1; written != test.written || len(injection.Applied()) != 1 {
				t.Errorf("%s: written %t, want %t; the fault applied to %v", test.name, written, test.written, injection.Applied())
			}
			injection.Remove()
			if test.written {
				s.must(s.admin.CoreV1().ConfigMaps("default").Delete(s.Context(), "c", metav1.DeleteOptions{}))
			}
		}
	})
}

func TestAroundEachRequestASnapshotCanBeTaken(t *testing.T) {
	run(t, nil, func(s story) {
		var snapshots []*scenario.Snapshot
		take := func(scenario.Request) { snapshots = append(snapshots, s.Snapshot()) }
		s.Inject(scenario.Fault{Match: createsConfigMaps, Effect: scenario.Around(take, take)})
		s.must(s.createConfigMap("c"))
		if got := s.configMaps(); len(got) != 1 || len(snapshots) != 2 || snapshots[1].Revision() <= snapshots[0].Revision() {
			t.Errorf("there are %q, and %d snapshots", got, len(snapshots))
		}
	})
}

func TestAProcessThatWasKilledWritesNoMore(t *testing.T) {
	run(t, nil, func(s story) {
		process := s.NewProcess(scenario.AdminUser)
		client, err := kubernetes.NewForConfig(process.ClientConfig())
		s.must(err)
		create := func(name string) error {
			_, err := client.CoreV1().ConfigMaps("default").Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			return err
		}
		events, err := client.CoreV1().ConfigMaps("default").Watch(s.Context(), metav1.ListOptions{})
		s.must(err)
		s.Inject(scenario.Fault{Match: createsConfigMaps, Nth: 2, Effect: scenario.LoseResponse(process.Kill)})
		s.must(create("first"))
		if err := create("second"); err == nil {
			t.Error("the process was killed before the response, and got it")
		}
		if err := create("third"); !errors.Is(err, scenario.ErrKilled) {
			t.Errorf("a request after that: %v", err)
		}
		if got, want := s.configMaps(), []string{"first", "second"}; !slices.Equal(got, want) {
			t.Errorf("there are %q, want %q", got, want)
		}
		for event := range events.ResultChan() { // until the watch ends
			if event.Type == watch.Error {
				t.Logf("the watch ends with %v", event.Object)
			}
		}
	})
}

func TestAWatchThatIsCutEndsWithoutAnError(t *testing.T) {
	run(t, nil, func(s story) {
		begin := func(namespace string) watch.Interface {
			events, err := s.admin.CoreV1().ConfigMaps(namespace).Watch(s.Context(), metav1.ListOptions{ResourceVersion: "1"})
			s.must(err)
			s.Cleanup(events.Stop)
			return events
		}
		here, elsewhere := begin("default"), begin("kube-system")
		cut := s.CutWatches(func(r scenario.Request) bool { return r.Resource.Resource == "configmaps" && r.Namespace == "default" })
		if cut != 1 {
			t.Errorf("cut %d watches, want 1", cut)
		}
		for event := range here.ResultChan() {
			if event.Type == watch.Error {
				t.Errorf("the cut watch delivered an event: %v", event.Object)
			}
		}
		synctest.Wait()
		select {
		case event, open := <-elsewhere.ResultChan():
			if !open || event.Type == watch.Error {
				t.Errorf("the other watch delivered %v, open %t", event, open)
			}
		default:
		}
	})
}
