package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
)

// storedRevision returns a client with a revision of three parts, and the revision. The client gives each Secret a UID.
func storedRevision(t *testing.T, owner Owner) (*fake.Clientset, *Revisions, *Revision) {
	t.Helper()
	client := fake.NewClientset()
	created := 0
	client.PrependReactor("create", "secrets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		created++
		action.(clienttesting.CreateAction).GetObject().(*corev1.Secret).UID = types.UID(fmt.Sprint(created))
		return false, nil, nil
	})
	revisions := NewRevisions(client.CoreV1().Secrets("system"))
	revisions.partBytes = 500
	saved := revisionOf(1, configMap("a", noise(2000)))
	if err := revisions.Save(t.Context(), owner, saved); err != nil || saved.Parts < 3 {
		t.Fatalf("%d parts, %v", saved.Parts, err)
	}
	return client, revisions, saved
}

// replaceSecret deletes a Secret, changes it, and creates it again.
func replaceSecret(t *testing.T, client *fake.Clientset, name string, change func(*corev1.Secret)) {
	t.Helper()
	secrets := client.CoreV1().Secrets("system")
	secret, err := secrets.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := secrets.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if change(secret); secret.Name == "" {
		return
	}
	if _, err := secrets.Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// header returns a change of the header in an index.
func header(change func(*Header)) func(*corev1.Secret) {
	return func(secret *corev1.Secret) {
		var stored Header
		if err := json.Unmarshal(secret.Data[keyHeader], &stored); err != nil {
			panic(err)
		}
		change(&stored)
		secret.Data[keyHeader], _ = json.Marshal(stored)
	}
}

func TestHRD_U5_VerifyFindsEveryChange(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	index, part := indexName("memo", 1), partName("memo", 1, 1)
	for name, test := range map[string]struct {
		secret string
		change func(*corev1.Secret)
		lost   bool
	}{
		"nothing is changed":                   {index, func(*corev1.Secret) {}, false},
		"the index is missing":                 {index, func(s *corev1.Secret) { s.Name = "" }, true},
		"the index has another number":         {index, header(func(h *Header) { h.Number = 9 }), true},
		"the index has other parts":            {index, header(func(h *Header) { h.Parts = 0 }), true},
		"the index has another size":           {index, header(func(h *Header) { h.Bytes = 1 }), true},
		"the index has another digest":         {index, header(func(h *Header) { h.Digest = "sha256:else" }), true},
		"the index has another source":         {index, header(func(h *Header) { h.Source = "else" }), true},
		"the index has another configuration":  {index, header(func(h *Header) { h.Config = "sha256:else" }), true},
		"the index has other maximum versions": {index, header(func(h *Header) { h.Bundle.MaxOpenShiftVersions = nil }), true},
		"the index has no header":              {index, func(s *corev1.Secret) { s.Data[keyHeader] = []byte("{") }, true},
		"the index has the former renderer":    {index, header(func(h *Header) { h.Renderer = "former" }), false},
		"the index has no plan":                {index, header(func(h *Header) { h.Plan = "" }), false},
		"the index has another plan":           {index, header(func(h *Header) { h.Plan = "sha256:else" }), true},
		"the index has another owner":          {index, func(s *corev1.Secret) { s.OwnerReferences[0].UID = "else" }, true},
		"the index has no labels":              {index, func(s *corev1.Secret) { s.Labels = nil }, true},
		"a part is missing":                    {part, func(s *corev1.Secret) { s.Name = "" }, true},
		"a part is replaced by an equal one":   {part, func(*corev1.Secret) {}, false},
		"a part has other data":                {part, func(s *corev1.Secret) { s.Data[keyObject] = []byte("else") }, true},
		"a part has another owner":             {part, func(s *corev1.Secret) { s.OwnerReferences = nil }, true},
		"a part is mutable":                    {part, func(s *corev1.Secret) { s.Immutable = nil }, true},
		"the index is mutable":                 {index, func(s *corev1.Secret) { s.Immutable = nil }, true},
		"a part has another number":            {part, func(s *corev1.Secret) { s.Labels[LabelNumber] = "2" }, true},
	} {
		for _, process := range []string{"the process that saved it", "another process"} {
			t.Run(name+", "+process, func(t *testing.T) {
				client, revisions, saved := storedRevision(t, owner)
				saved.Plan = "sha256:plan"
				if test.secret != index || !strings.Contains(name, "plan") { // also stored
					replaceSecret(t, client, index, header(func(h *Header) { h.Plan = saved.Plan }))
				}
				replaceSecret(t, client, test.secret, test.change)
				if process == "another process" {
					revisions = NewRevisions(client.CoreV1().Secrets("system"))
				}
				if err := revisions.Verify(t.Context(), owner, saved.Header); IsUnusable(err) != test.lost || (err != nil) != test.lost {
					t.Errorf("Verify returns %v, want an unusable revision: %v", err, test.lost)
				}
			})
		}
	}
}

// setMetadata sets the metadata that the watch has of all Secrets.
func setMetadata(t *testing.T, client *fake.Clientset, into cache.Store) {
	t.Helper()
	all, err := client.CoreV1().Secrets("system").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var objects []any
	for _, each := range all.Items {
		objects = append(objects, &metav1.PartialObjectMetadata{ObjectMeta: each.ObjectMeta})
	}
	if err := into.Replace(objects, ""); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyReadsOnlyWhatMayHaveChangedAndOneSecretAtATime(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	index, part := indexName("memo", 1), partName("memo", 1, 1)
	for name, test := range map[string]struct {
		change func(*testing.T, *fake.Clientset, *Revisions)
		want   []string
	}{
		"nothing": {func(*testing.T, *fake.Clientset, *Revisions) {}, nil},
		"an annotation of the index": {func(t *testing.T, _ *fake.Clientset, r *Revisions) {
			if err := r.MarkRenderer(t.Context(), owner, &Header{Number: 1}, "another"); err != nil {
				t.Fatal(err)
			}
		}, nil},
		"a part that is replaced": {func(t *testing.T, client *fake.Clientset, _ *Revisions) {
			replaceSecret(t, client, part, func(*corev1.Secret) {})
		}, []string{part}},
		"an index that is replaced": {func(t *testing.T, client *fake.Clientset, _ *Revisions) {
			replaceSecret(t, client, index, func(*corev1.Secret) {})
		}, []string{index}},
	} {
		t.Run(name, func(t *testing.T) {
			client, revisions, saved := storedRevision(t, owner)
			metadata := cache.NewStore(cache.MetaNamespaceKeyFunc)
			revisions.metadata, revisions.namespace = metadata, "system"
			test.change(t, client, revisions)
			setMetadata(t, client, metadata)
			for _, want := range [][]string{test.want, nil} { // the second time, nothing has changed any more
				client.ClearActions()
				if err := revisions.Verify(t.Context(), owner, saved.Header); err != nil {
					t.Fatal(err)
				}
				var read []string
				for _, each := range client.Actions() {
					get, isGet := each.(clienttesting.GetAction)
					if !isGet {
						t.Fatalf("an unexpected request: %v", each)
					}
					read = append(read, get.GetName())
				}
				if !slices.Equal(read, want) {
					t.Errorf("reads %v, want %v", read, want)
				}
			}
		})
	}
}

func TestVerifyReadsAMutableSecretAgainUntilItIsSavedAsImmutable(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	client, revisions, saved := storedRevision(t, owner)
	metadata := cache.NewStore(cache.MetaNamespaceKeyFunc)
	revisions.metadata, revisions.namespace = metadata, "system"
	replaceSecret(t, client, partName("memo", 1, 1), func(s *corev1.Secret) { s.Immutable = nil })
	setMetadata(t, client, metadata)
	for range 2 {
		if _, err := revisions.Load(t.Context(), owner, saved.Header); err != nil {
			t.Errorf("the content is the same, and the error is: %v", err)
		}
		if err := revisions.Verify(t.Context(), owner, saved.Header); !IsUnusable(err) {
			t.Errorf("with a mutable part, Verify returns %v", err)
		}
	}
	if err := revisions.Save(t.Context(), owner, saved); err != nil {
		t.Fatal(err)
	}
	if err := revisions.Verify(t.Context(), owner, saved.Header); err != nil {
		t.Errorf("after Save, Verify returns %v", err)
	}
}

func TestTheWatchReportsChangesOfStoredRevisions(t *testing.T) {
	owner := Owner{Name: "memo", UID: "uid-1"}
	before := &metav1.PartialObjectMetadata{ObjectMeta: newSecret(owner, indexName("memo", 1), 1, RoleIndex, nil).ObjectMeta}
	before.UID = "1"
	with := func(change func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
		after := before.DeepCopy()
		change(after)
		return after
	}
	for name, test := range map[string]struct {
		event func(cache.ResourceEventHandler)
		want  []string
	}{
		"a Secret exists at the start": {func(h cache.ResourceEventHandler) { h.OnAdd(before, true) }, nil},
		"a Secret is created":          {func(h cache.ResourceEventHandler) { h.OnAdd(before, false) }, []string{"memo 1"}},
		"a Secret is deleted":          {func(h cache.ResourceEventHandler) { h.OnDelete(before) }, []string{"memo 1"}},
		"a deletion is found by a list": {func(h cache.ResourceEventHandler) {
			h.OnDelete(cache.DeletedFinalStateUnknown{Key: "system/a", Obj: before})
		}, []string{"memo 1"}},
		"an annotation changes": {func(h cache.ResourceEventHandler) {
			h.OnUpdate(before, with(func(o *metav1.PartialObjectMetadata) { o.Annotations = map[string]string{"a": "b"} }))
		}, nil},
		"the owner changes": {func(h cache.ResourceEventHandler) {
			h.OnUpdate(before, with(func(o *metav1.PartialObjectMetadata) { o.OwnerReferences = nil }))
		}, []string{"memo 1", "memo 1"}},
		"it is replaced": {func(h cache.ResourceEventHandler) {
			h.OnUpdate(before, with(func(o *metav1.PartialObjectMetadata) { o.UID = "2" }))
		}, []string{"memo 1", "memo 1"}},
		"the number returns": {func(h cache.ResourceEventHandler) {
			h.OnUpdate(with(func(o *metav1.PartialObjectMetadata) { delete(o.Labels, LabelNumber) }), before)
		}, []string{"memo 1"}},
		"it is no revision": {func(h cache.ResourceEventHandler) {
			h.OnDelete(with(func(o *metav1.PartialObjectMetadata) { o.Labels[LabelNumber] = "one" }))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			informer := &handled{SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})}
			var got []string
			changed := func(deployment string, number int64) { got = append(got, fmt.Sprint(deployment, " ", number)) }
			if err := NewRevisions(nil).Watch(informer, "system", changed); err != nil {
				t.Fatal(err)
			}
			test.event(informer.handler)
			if !slices.Equal(got, test.want) {
				t.Errorf("reported %v, want %v", got, test.want)
			}
		})
	}
}

// handled keeps the event handler of an informer.
type handled struct {
	cache.SharedIndexInformer
	handler cache.ResourceEventHandler
}

func (h *handled) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	h.handler = handler
	return nil, nil
}
