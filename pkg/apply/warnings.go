package apply

import (
	"context"
	"slices"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

const (
	// maxWarnings is the maximum number of warnings in a Report. maxReceived is the maximum number of warnings for one object.
	maxWarnings = 20
	maxReceived = 5
	// warningCode is the code of a persistent warning, the only code that Kubernetes uses.
	warningCode = 299
)

// WarningHandler returns a handler that collects the API server's warnings for Report.Warnings. The engine's clients must be built with it.
// Warnings for requests that do not come from the engine are logged, as they would be without this handler.
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

// warnings collects the warnings in the responses to requests that were sent with one context.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

// collectWarnings returns a context, and the warnings that are received for requests with that context.
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

// maxRemembered is the maximum number of warning texts that are cached for one owner.
const maxRemembered = 200

// warningMemory maps the text of each warning to the object for which it was first received.
type warningMemory struct {
	mu    sync.Mutex
	first map[string]Key
}

// firstFor returns the object with which a warning text is reported: the first one for which it was received. The API server sends the same
// warning for many objects, in several calls, but the manager reports it once.
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

// addWarnings adds the warnings for one object, without duplicates, up to maxWarnings.
func (r *Report) addWarnings(memory *warningMemory, each outcome) {
	for _, text := range each.warnings {
		warning := memory.firstFor(text, each.reconciled.Desired.Key).String() + ": " + text
		if len(r.Warnings) < maxWarnings && !slices.Contains(r.Warnings, warning) {
			r.Warnings = append(r.Warnings, warning)
		}
	}
}
