package namespaceuse

import (
	"context"
	"errors"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	pods       = resource("v1/pods")
	configMaps = resource("v1/configmaps")
	secrets    = resource("v1/secrets")
	memos      = resource("example.com/v1/memos")
	streams    = resource("image.openshift.io/v1/imagestreams")
)

func resource(text string) schema.GroupVersionResource {
	parts := strings.Split(text, "/")
	found := schema.GroupVersionResource{Version: parts[len(parts)-2], Resource: parts[len(parts)-1]}
	if len(parts) == 3 {
		found.Group = parts[0]
	}
	return found
}

// fakeCluster is a cluster with an API server that serves some resources.
type fakeCluster struct {
	served      []schema.GroupVersionResource
	unavailable map[string]error
	// objects has the objects by resource and field selector.
	objects map[schema.GroupVersionResource]map[string][]metav1.PartialObjectMetadata
	// perPage is the maximum number of objects in a page; 0 means no maximum.
	perPage int
	// denied are resources that may be listed only after the grant is effective. effective is the number of calls of permitted after which
	// it is.
	denied    map[schema.GroupVersionResource]bool
	effective int
	grantErr  error
	// fails has errors of lists, by resource. A list fails with its error if it would return objects: always for the whole cluster, and for
	// a namespace with such objects.
	fails map[schema.GroupVersionResource]error

	// later are the resources that it serves from the second discovery on; nil means the same as before.
	later []schema.GroupVersionResource
	// hangs are resources whose lists never end.
	hangs map[schema.GroupVersionResource]bool
	// lag is the number of lists that are denied after the grant is effective.
	lag int
	// revokeErrs is the number of calls of revoke that fail.
	revokeErrs int

	mu      sync.Mutex
	asked   int // the number of calls of resources
	granted []schema.GroupVersionResource
	lists   map[schema.GroupVersionResource]int
	revokes int
}

func (f *fakeCluster) resources(context.Context) ([]schema.GroupVersionResource, map[string]error, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	served := f.served
	if f.asked++; f.asked > 1 && f.later != nil {
		served = f.later
	}
	return append([]schema.GroupVersionResource(nil), served...), f.unavailable, nil
}

func (f *fakeCluster) list(ctx context.Context, at schema.GroupVersionResource, namespace string, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	if f.hangs[at] {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lists == nil {
		f.lists = map[schema.GroupVersionResource]int{}
	}
	f.lists[at]++
	if f.denied[at] && len(f.granted) > 0 && f.effective <= 0 && f.lag > 0 {
		f.lag--
		return nil, apierrors.NewForbidden(at.GroupResource(), "", nil)
	}
	if f.denied[at] && (len(f.granted) == 0 || f.effective > 0) {
		return nil, apierrors.NewForbidden(at.GroupResource(), "", nil)
	}
	var within []metav1.PartialObjectMetadata
	for _, each := range f.objects[at][options.FieldSelector] {
		if namespace == "" || each.Namespace == namespace {
			within = append(within, each)
		}
	}
	if err := f.fails[at]; err != nil && len(within) > 0 {
		return nil, err
	}
	from := len(options.Continue)
	to := len(within)
	if f.perPage > 0 {
		to = min(from+f.perPage, to)
	}
	page := &metav1.PartialObjectMetadataList{Items: within[from:to]}
	if to < len(within) {
		page.Continue = strings.Repeat("x", to) // its length is where the next page begins
	}
	return page, nil
}

func (f *fakeCluster) grant(_ context.Context, resources []schema.GroupVersionResource) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.grantErr == nil {
		f.granted = resources
	}
	return f.grantErr
}

func (f *fakeCluster) permitted(context.Context, []schema.GroupVersionResource) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.effective--
	return f.effective <= 0, nil
}

func (f *fakeCluster) revoke(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.revokes++
	if f.revokes <= f.revokeErrs {
		return errors.New("no")
	}
	f.granted = nil
	return nil
}

// requests returns the number of lists.
func (f *fakeCluster) requests() (all int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, each := range f.lists {
		all += each
	}
	return all
}

func object(namespace, name string) metav1.PartialObjectMetadata {
	return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}
