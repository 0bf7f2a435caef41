package leaderelection

import (
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

var (
	now  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	here = Pod{Name: "platform-operators-5d8c-x7v2q", UID: "0b1c6f0e-6a4c-4a39-9c5e-3f6e8d1f2a77"}
)

// heldBy returns the spec of a lease for 137 seconds whose holder last renewed it the given duration before now.
func heldBy(holder string, renewed time.Duration) coordinationv1.LeaseSpec {
	return coordinationv1.LeaseSpec{
		HolderIdentity: &holder, LeaseDurationSeconds: ptr.To(int32(137)), LeaseTransitions: ptr.To(int32(4)),
		AcquireTime: &metav1.MicroTime{Time: now.Add(-time.Hour)}, RenewTime: &metav1.MicroTime{Time: now.Add(-renewed)},
	}
}

func TestHRD_G4_ALeaseIsTakenOverFromAnEndedProcessOfThisPodOnly(t *testing.T) {
	const process = types.UID("aaaa")
	recreated := Pod{Name: here.Name, UID: "77777777-6a4c-4a39-9c5e-3f6e8d1f2a77"}
	another := Pod{Name: "platform-operators-5d8c-zzzzz", UID: here.UID}
	for name, test := range map[string]struct {
		locked bool
		lease  coordinationv1.LeaseSpec
		want   Decision
	}{
		"there is no lease":                                           {true, coordinationv1.LeaseSpec{}, Elect},
		"the lease was released":                                      {true, heldBy("", time.Second), Elect},
		"this pod holds it, renewed just now":                         {true, heldBy(here.Identity(process), 0), TakeOver},
		"this pod holds it, about to run out":                         {true, heldBy(here.Identity(process), 136*time.Second), TakeOver},
		"this pod holds it, ran out":                                  {true, heldBy(here.Identity(process), time.Hour), TakeOver},
		"this pod holds it, renewed in the future by its clock":       {true, heldBy(here.Identity(process), -time.Minute), TakeOver},
		"another pod holds it":                                        {true, heldBy(another.Identity(process), time.Second), Elect},
		"another pod holds it, ran out by its times":                  {true, heldBy(another.Identity(process), time.Hour), Elect},
		"a pod of this name and another UID":                          {true, heldBy(recreated.Identity(process), time.Second), Elect},
		"a pod whose name begins with this one's":                     {true, heldBy(Pod{Name: here.Name + "0", UID: here.UID}.Identity(process), time.Second), Elect},
		"a pod whose UID begins with this one's":                      {true, heldBy(Pod{Name: here.Name, UID: here.UID + "0"}.Identity(process), time.Second), Elect},
		"a manager of before, identity of library-go":                 {true, heldBy(here.Name+"_"+string(process), time.Second), Elect},
		"a manager outside of a pod":                                  {true, heldBy("workstation_"+string(process), time.Second), Elect},
		"another process of this pod runs and holds it":               {false, heldBy(here.Identity(process), time.Second), Refuse},
		"another process of this pod runs, its lease ran out":         {false, heldBy(here.Identity(process), time.Hour), Refuse},
		"another process of this pod runs and waits for another pod":  {false, heldBy(another.Identity(process), time.Second), Refuse},
		"another process of this pod runs, and there is no lease yet": {false, coordinationv1.LeaseSpec{}, Refuse},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Decide(here, test.locked, test.lease); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// FuzzHolderIsOfAPod uses names and UIDs of pods without an underscore, because Kubernetes allows none. The holder of a lease is any text.
func FuzzHolderIsOfAPod(f *testing.F) {
	f.Add(here.Name, string(here.UID), here.Identity("aaaa"))
	f.Add(here.Name, string(here.UID), "")
	f.Add("a", "b", "a_b")
	f.Add("a", "b", "a_b_c_d")
	f.Fuzz(func(t *testing.T, name, uid, holder string) {
		if name == "" || uid == "" || strings.Contains(name+uid, "_") {
			t.Skip("no pod is called that")
		}
		pod, other := Pod{Name: name, UID: types.UID(uid)}, Pod{Name: name, UID: types.UID(uid + "0")}
		if !pod.holds(pod.Identity(types.UID(holder))) {
			t.Errorf("pod %+v does not recognize its own process %q", pod, holder)
		}
		if pod.holds(holder) && other.holds(holder) {
			t.Errorf("%q is a process of two pods, %+v and %+v", holder, pod, other)
		}
	})
}
