package deniedwrites

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"
)

// answering is a transport that answers each request with a status code.
type answering int

func (code answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(code), Body: http.NoBody}, nil
}

func send(t *testing.T, writes *Writes, code int, request string, header ...string) {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := writes.Wrap(answering(code)).RoundTrip(r)
	if err != nil || response.Body.Close() != nil {
		t.Fatal(err)
	}
}

func TestWhichRequestsAreDeniedWrites(t *testing.T) {
	const platform = "/apis/platform.openshift.io/v1alpha1/platformoperators"
	for name, c := range map[string]struct {
		code    int
		request string
		header  []string
		want    string
	}{
		"a status":                        {403, "PUT " + platform + "/quay/status", nil, `update "platformoperators/status" in API group "platform.openshift.io"`},
		"a creation in a namespace":       {403, "POST /api/v1/namespaces/a/secrets", nil, `create "secrets" in API group "" in namespace "a"`},
		"a deletion":                      {403, "DELETE /api/v1/namespaces/a/secrets/b", nil, `delete "secrets" in API group "" in namespace "a"`},
		"a patch":                         {403, "PATCH " + platform + "/quay", nil, `patch "platformoperators" in API group "platform.openshift.io"`},
		"a read":                          {403, "GET " + platform, nil, ""},
		"a conflict":                      {409, "PUT " + platform + "/quay/status", nil, ""},
		"a write of another user":         {403, "PUT " + platform + "/quay/status", []string{"Impersonate-User", "someone"}, ""},
		"no resource":                     {403, "POST /metrics", nil, ""},
		"a question about a permission":   {403, "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", nil, ""},
		"a path that does not parse":      {403, "POST /apis", nil, ""},
		"a path that is not of an object": {403, "POST /api/v1", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			writes := NewWrites()
			send(t, writes, c.code, c.request, c.header...)
			var got string
			if permissions, _ := writes.list(); len(permissions) > 0 {
				got = permissions[0].String()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// fixture is a controller whose API server grants the permission for the resources in granted.
type fixture struct {
	*testing.T
	*controller
	client  v1helpers.OperatorClient
	syncCtx factory.SyncContext
	writes  *Writes
	granted map[string]bool
	fails   error
	retries int
	time    *clocktesting.FakePassiveClock
}

func newFixture(t *testing.T) *fixture {
	clock := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	f := &fixture{time: clock, T: t, writes: NewWrites(), granted: map[string]bool{}, syncCtx: factory.NewSyncContext("test", events.NewInMemoryRecorder("test", clock))}
	f.client = v1helpers.NewFakeOperatorClient(&operatorv1.OperatorSpec{}, &operatorv1.OperatorStatus{}, nil)
	kubernetes := fake.NewClientset()
	kubernetes.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		review.Status.Allowed = f.granted[review.Spec.ResourceAttributes.Resource]
		return true, review, f.fails
	})
	f.controller = &controller{operatorClient: f.client, writes: f.writes, reviews: kubernetes.AuthorizationV1().SelfSubjectAccessReviews(),
		retry: func() { f.retries++ }, clock: clock, started: clock.Now(), denied: map[permission]bool{}}
	return f
}

// condition syncs the controller and returns the condition.
func (f *fixture) condition() *operatorv1.OperatorCondition {
	f.Helper()
	if err := f.sync(f.Context(), f.syncCtx); err != nil && f.fails == nil {
		f.Fatal(err)
	}
	_, status, _, err := f.client.GetOperatorState()
	if err != nil {
		f.Fatal(err)
	}
	return v1helpers.FindOperatorCondition(status.Conditions, ConditionType)
}

func (f *fixture) expect(when string, status operatorv1.ConditionStatus, parts ...string) {
	f.Helper()
	got := f.condition()
	if got == nil || got.Status != status {
		f.Fatalf("%s: got %+v, want status %s", when, got, status)
	}
	for _, part := range parts {
		if !strings.Contains(got.Message, part) {
			f.Errorf("%s: %q lacks %q", when, got.Message, part)
		}
	}
}

func TestAMissingPermissionIsReportedUntilItIsBack(t *testing.T) {
	f := newFixture(t)
	f.expect("at the start", operatorv1.ConditionFalse)
	send(t, f.writes, 403, "PUT /apis/platform.openshift.io/v1alpha1/platformoperators/quay/status")
	send(t, f.writes, 403, "PUT /apis/platform.openshift.io/v1alpha1/platformoperators/other/status")
	f.expect("while it is missing", operatorv1.ConditionTrue, `: update "platformoperators/status" in API group "platform.openshift.io". `)
	if f.retries != 0 {
		t.Error("syncs are retried while the permission is missing")
	}
	f.fails = errors.New("no API server")
	f.expect("while the API server fails", operatorv1.ConditionTrue)
	f.fails = nil
	f.granted["platformoperators"] = true
	f.expect("when it is back", operatorv1.ConditionFalse)
	if f.retries != 1 {
		t.Errorf("failed syncs are retried %d times, want once", f.retries)
	}
}

func TestARestartKeepsTheConditionForAWhile(t *testing.T) {
	f := newFixture(t)
	send(t, f.writes, 403, "POST /api/v1/namespaces/a/secrets")
	f.expect("of the process before", operatorv1.ConditionTrue)
	f.writes = NewWrites()
	f.controller.writes, f.controller.denied, f.controller.hasConfirmed = f.writes, map[permission]bool{}, false
	f.expect("after a restart", operatorv1.ConditionTrue, `create "secrets"`)
	f.time.SetTime(f.started.Add(keepFor))
	f.expect("when nothing was denied for a while", operatorv1.ConditionFalse)
}

func TestADenialForAnotherReasonIsNotReported(t *testing.T) {
	f := newFixture(t)
	f.granted["secrets"] = true // a quota
	send(t, f.writes, 403, "POST /api/v1/namespaces/a/secrets")
	f.expect("with the permission", operatorv1.ConditionFalse)
	if left, _ := f.writes.list(); len(left) > 0 || f.retries > 0 {
		t.Errorf("%d denied writes and %d retries are left", len(left), f.retries)
	}
}

func TestManyMissingPermissionsAreCounted(t *testing.T) {
	f := newFixture(t)
	for namespace := range 100 {
		send(t, f.writes, 403, "POST /api/v1/namespaces/"+strings.Repeat("a", namespace+1)+"/secrets")
	}
	f.expect("with 100 namespaces", operatorv1.ConditionTrue, "; and at least 22 more. ")
}

func TestTheControllerNeedsItsWholeConfig(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("a controller without a client is built")
	}
}
