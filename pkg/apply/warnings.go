package apply

import (
	"context"
	"slices"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

const (
	// maxWarnings bounds a Report's warnings; maxReceived bounds those of one object.
	maxWarnings = 20
	maxReceived = 5
	// warningCode is the only one that Kubernetes uses: a persistent warning.
	warningCode = 299
)

// WarningHandler collects the API server's warnings for Report.Warnings. The engine's clients have to be built with it. Warnings for other
// requests are logged, as they are without it.
func WarningHandler() rest.WarningHandlerWithContext { return warningHandler{} }

type warningHandler struct{}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (warningHandler) HandleWarningHeaderWithContext(ctx context.Context, code int, agent, text string) {
	if received, ok := ctx.Value(warningsKey{}).(*warnings); ok {
		received.add(code, text)
		return
	}
	rest.WarningLogger{}.HandleWarningHeaderWithContext(ctx, code, agent, text)
}

type warningsKey struct{}

// warnings are those that were received for the requests of one context.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

// collectWarnings returns a context whose requests' warnings are collected.
func collectWarnings(ctx context.Context) (context.Context, *warnings) {
	received := &warnings{}
	return context.WithValue(ctx, warningsKey{}, received), received
}

func (w *warnings) add(code int, text string) {
	if text = object.Bounded(text); code != warningCode || text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.texts) < maxReceived && !slices.Contains(w.texts, text) {
		w.texts = append(w.texts, text)
	}
}

func (w *warnings) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.texts)
}

// maxRemembered bounds how many texts are remembered of an owner.
const maxRemembered = 200

// warningMemory is the object that each text of a warning was first received for.
type warningMemory struct {
	mu    sync.Mutex
	first map[string]Key
}

// firstFor returns the object that a text is reported with: the first one that it was received for. The API server sends the same warning
// for many objects, in several calls, and it is reported once.
func (m *warningMemory) firstFor(text string, key Key) Key {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first, ok := m.first[text]; ok {
		return first
	}
	if len(m.first) < maxRemembered {
		m.first[text] = key
	}
	return key
}

// addWarnings adds the warnings for one object, each text once.
func (r *Report) addWarnings(memory *warningMemory, each outcome) {
	for _, text := range each.warnings {
		warning := memory.firstFor(text, each.reconciled.Desired.Key).String() + ": " + text
		if len(r.Warnings) < maxWarnings && !slices.Contains(r.Warnings, warning) {
			r.Warnings = append(r.Warnings, warning)
		}
	}
}
