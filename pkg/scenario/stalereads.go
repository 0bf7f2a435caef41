package scenario

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// staleTime is the time for which a watch that follows a stale list delivers nothing. Controllers that do not sleep need less time, so they
// always act on the stale lists before the first event, regardless of the order in which goroutines run.
const staleTime = time.Second

// staleList is one call of ServeStaleLists that is in effect.
type staleList struct {
	user     string
	revision int64
}

// staleLists holds the calls of ServeStaleLists that are in effect, in order.
type staleLists struct {
	mu  sync.Mutex
	all []*staleList
}

// ServeStaleLists makes the API server behave toward a user's clients like an API server whose watch cache lags, until stop is called:
//
//   - It refuses watches with sendInitialEvents, like an API server without the feature WatchList. Informers then list.
//   - It answers LISTs that have resourceVersion=0 and no resourceVersionMatch with the state at the revision, as one page. A watch from
//     this revision delivers nothing for a second, and then all later events.
//
// GETs, all other LISTs and watches, and writes are served from the latest state. If the revision was compacted, the LISTs get 410 Gone,
// and informers list the latest state. If several calls are for the same user, the last one takes effect. Request.IsFaulted is true for the
// refused watches and the stale LISTs.
func (c *Cluster) ServeStaleLists(user string, revision int64) (stop func()) {
	added := &staleList{user, revision}
	c.staleLists.mu.Lock()
	defer c.staleLists.mu.Unlock()
	c.staleLists.all = append(c.staleLists.all, added)
	return func() {
		c.staleLists.mu.Lock()
		defer c.staleLists.mu.Unlock()
		c.staleLists.all = slices.DeleteFunc(c.staleLists.all, func(other *staleList) bool { return other == added })
	}
}

// forRequest returns the stale list for a request, or nil if ServeStaleLists has no effect on the request.
func (l *staleLists) forRequest(request Request, r *http.Request) *staleList {
	if request.Verb != "watch" && request.Verb != "list" {
		return nil
	}
	query := r.URL.Query()
	if request.Verb == "watch" && !query.Has("sendInitialEvents") {
		return nil
	}
	if request.Verb == "list" && (query.Get("resourceVersion") != "0" || query.Get("resourceVersionMatch") != "" || query.Get("continue") != "") {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, each := range slices.Backward(l.all) {
		if each.user == request.User {
			return each
		}
	}
	return nil
}

// delay waits for staleTime if the request is a watch that follows a stale list.
func (l *staleLists) delay(ctx context.Context, request Request, r *http.Request, suspend func(time.Duration)) {
	if request.Verb != "watch" || !l.has(request.User, r.URL.Query().Get("resourceVersion")) {
		return
	}
	suspend(staleTime + restDelay)
	select {
	case <-time.After(staleTime):
	case <-ctx.Done():
	}
}

// has reports whether a stale list of the user has the given resourceVersion.
func (l *staleLists) has(user, resourceVersion string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.all, func(each *staleList) bool {
		return each.user == user && strconv.FormatInt(each.revision, 10) == resourceVersion
	})
}

// refusal returns the response of an API server without the feature WatchList to a watch with sendInitialEvents.
func (*staleList) refusal() (*http.Response, error) {
	forbidden := field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
	invalid := apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", field.ErrorList{forbidden})
	return statusResponse(invalid.ErrStatus, http.Header{})
}

// rewrite returns the request to send in place of a LIST with resourceVersion=0: a LIST at the revision.
func (l *staleList) rewrite(r *http.Request) *http.Request {
	query := r.URL.Query()
	query.Set("resourceVersion", strconv.FormatInt(l.revision, 10))
	query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
	query.Del("limit") // a watch cache ignores the limit of such a request
	rewritten := r.Clone(r.Context())
	rewritten.URL.RawQuery = query.Encode()
	return rewritten
}
