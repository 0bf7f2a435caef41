package livecache

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
)

// memosPage is the discovery of a version that serves memos.
const memosPage = `{"resources": [{"kind": "Memo", "name": "memos", "singularName": "memo", "namespaced": true}]}`

// hanging are the discovery pages of an API server that responds to no request before release. It counts the requests.
type hanging struct {
	requests int
	release  chan []byte
}

func (h *hanging) read(ctx context.Context, _ string) ([]byte, error) {
	h.requests++
	select {
	case page := <-h.release:
		return page, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestAHangingDiscoveryOfOneOwnerDelaysNoOther(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Memo"}
	for name, call := range map[string]func(*Mapper){
		"KnownMapping":    func(m *Mapper) { m.KnownMapping(kind) },
		"Invalidate":      func(m *Mapper) { m.Invalidate(kind.GroupVersion()) },
		"invalidateGroup": func(m *Mapper) { m.invalidateGroup(kind.Group) },
		"Mapping of a kind that is known": func(m *Mapper) {
			if _, err := m.Mapping(context.Background(), "b", kind); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &hanging{release: make(chan []byte, 1)}
				m := NewMapper(server.read, clock.RealClock{})
				server.release <- []byte(memosPage)
				if _, err := m.Mapping(t.Context(), "b", kind); err != nil {
					t.Fatal(err)
				}
				m.waiting = map[string]map[string]bool{kind.Group: {"b": true}}
				other := kind
				other.Kind = "Other"
				go func() { _, _ = m.Mapping(t.Context(), "a", other) }()
				synctest.Wait()
				before := time.Now()
				call(m)
				if waited := time.Since(before); waited > 0 || server.requests != 2 {
					t.Errorf("it waited %s for one of %d requests", waited, server.requests)
				}
				server.release <- []byte(`{}`)
			})
		})
	}
}

func TestADiscoveryThatHangsEndsWithAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMapper((&hanging{}).read, clock.RealClock{})
		before := time.Now()
		_, err := m.Mapping(t.Context(), "a", schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Memo"})
		if waited := time.Since(before); !errors.Is(err, context.DeadlineExceeded) || waited != readTimeout {
			t.Errorf("after %s, the error is %v", waited, err)
		}
	})
}

func TestAResponseDoesNotReplaceALaterInvalidation(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Memo"}
	for name, invalidate := range map[string]func(*testing.T, *Mapper){
		"of the version": func(_ *testing.T, m *Mapper) { m.Invalidate(kind.GroupVersion()) },
		"of the group": func(t *testing.T, m *Mapper) {
			if owners := m.invalidateGroup(kind.Group); !slices.Equal(owners, []string{"a"}) {
				t.Errorf("%v are notified", owners)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &hanging{release: make(chan []byte, 1)}
				m := NewMapper(server.read, clock.RealClock{})
				m.waiting = map[string]map[string]bool{kind.Group: {"a": true}}
				go func() {
					if _, err := m.Mapping(t.Context(), "a", kind); !meta.IsNoMatchError(err) {
						t.Errorf("got error %v", err)
					}
				}()
				synctest.Wait()
				invalidate(t, m)
				server.release <- []byte(`{}`) // of the time before the kind was served
				synctest.Wait()
				server.release <- []byte(memosPage)
				if _, err := m.Mapping(t.Context(), "a", kind); err != nil {
					t.Errorf("after %d requests: %v", server.requests, err)
				}
			})
		})
	}
}
