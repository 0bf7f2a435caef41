package leaderelection

import (
	"context"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
)

const lease, namespace = "manager-lock", "managers"

// candidateFor returns a process of the pod that holds the lock, and its client, which has a lease with this spec. If spec is nil, there is
// no lease.
func candidateFor(spec *coordinationv1.LeaseSpec) (Candidate, *fake.Clientset) {
	client := fake.NewClientset()
	if spec != nil {
		client = fake.NewClientset(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: lease, Namespace: namespace, ResourceVersion: "7"}, Spec: *spec})
	}
	return Candidate{
		Pod: here, Identity: here.Identity("bbbb"), Locked: true, Name: lease,
		Leases: client.CoordinationV1().Leases(namespace), Clock: clocktesting.NewFakePassiveClock(now),
	}, client
}

func writes(client *fake.Clientset) (found []clienttesting.UpdateAction) {
	for _, action := range client.Actions() {
		if update, ok := action.(clienttesting.UpdateAction); ok && action.GetVerb() == "update" {
			found = append(found, update)
		}
	}
	return found
}

func TestHRD_G4_TheLeaseOfTheProcessBeforeIsThisOnesAtOnce(t *testing.T) {
	before := heldBy(here.Identity("aaaa"), time.Second)
	candidate, client := candidateFor(&before)
	if decision, err := candidate.TakeOver(t.Context()); decision != TakeOver || err != nil {
		t.Fatalf("%s, %v", decision, err)
	}
	all := writes(client)
	if len(all) != 1 {
		t.Fatalf("%d writes", len(all))
	}
	wrote := all[0].GetObject().(*coordinationv1.Lease)
	if wrote.ResourceVersion != "7" {
		t.Errorf("the write is for version %q of the lease, and 7 was read", wrote.ResourceVersion)
	}
	spec := wrote.Spec
	if *spec.HolderIdentity != candidate.Identity || !spec.AcquireTime.Time.Equal(now) || !spec.RenewTime.Time.Equal(now) ||
		*spec.LeaseTransitions != 5 || *spec.LeaseDurationSeconds != 137 {
		t.Errorf("wrote %v", spec)
	}
}

func TestHRD_G4_WhatIsNotThisPodsIsLeftAlone(t *testing.T) {
	for name, spec := range map[string]*coordinationv1.LeaseSpec{
		"there is no lease":  nil,
		"it was released":    ptr.To(heldBy("", time.Second)),
		"another pod has it": ptr.To(heldBy("other_uid_aaaa", time.Hour)),
	} {
		t.Run(name, func(t *testing.T) {
			candidate, client := candidateFor(spec)
			if decision, err := candidate.TakeOver(t.Context()); decision != Elect || err != nil || len(writes(client)) > 0 {
				t.Errorf("%s, %v, wrote %v", decision, err, writes(client))
			}
		})
	}
	t.Run("another process of the pod runs", func(t *testing.T) {
		candidate, client := candidateFor(ptr.To(heldBy(here.Identity("aaaa"), time.Second)))
		candidate.Locked = false
		if decision, err := candidate.TakeOver(t.Context()); decision != Refuse || err != nil || len(writes(client)) > 0 {
			t.Errorf("%s, %v, wrote %v", decision, err, writes(client))
		}
	})
}

// TestHRD_G4_AWriteThatArrivesInBetweenIsSeen uses a fake API server, because the test must write between two requests of one function.
func TestHRD_G4_AWriteThatArrivesInBetweenIsSeen(t *testing.T) {
	for name, test := range map[string]struct {
		arrives coordinationv1.LeaseSpec
		want    Decision
		holder  string
	}{
		"the last renewal of the process before": {heldBy(here.Identity("aaaa"), 0), TakeOver, here.Identity("bbbb")},
		"another pod takes the lease":            {heldBy("other_uid_aaaa", 0), Elect, "other_uid_aaaa"},
	} {
		t.Run(name, func(t *testing.T) {
			before := heldBy(here.Identity("aaaa"), time.Second)
			candidate, client := candidateFor(&before)
			arrived := false
			client.PrependReactor("update", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
				if arrived {
					return false, nil, nil
				}
				arrived = true
				late := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: lease, Namespace: namespace, ResourceVersion: "8"}, Spec: test.arrives}
				if err := client.Tracker().Update(action.GetResource(), late, namespace); err != nil {
					t.Error(err)
				}
				return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), lease, nil)
			})
			if decision, err := candidate.TakeOver(t.Context()); decision != test.want || err != nil {
				t.Fatalf("%s, %v", decision, err)
			}
			now, err := candidate.Leases.Get(t.Context(), lease, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if *now.Spec.HolderIdentity != test.holder {
				t.Errorf("held by %q, want %q", *now.Spec.HolderIdentity, test.holder)
			}
		})
	}
}

func TestAnAPIServerThatDoesNotAnswerIsAskedAgain(t *testing.T) {
	before := heldBy(here.Identity("aaaa"), time.Second)
	candidate, client := candidateFor(&before)
	asked := 0
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		asked++
		return asked < 3, nil, apierrors.NewServiceUnavailable("starting")
	})
	if decision, err := candidate.TakeOver(t.Context()); decision != TakeOver || err != nil {
		t.Errorf("%s, %v", decision, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	asked = -1 << 30
	if _, err := candidate.TakeOver(ended); err == nil || !strings.Contains(err.Error(), "starting") {
		t.Errorf("a process that is told to end: %v", err)
	}
}
