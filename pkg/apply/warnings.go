package apply

import (
	"context"
	"slices"
	"sync"

	"k8s.io/client-go/rest"
)

const (
	// maxWarnings bounds a Report's warnings, maxHeard those of one object.
	maxWarnings = 20
	maxHeard    = 5
	// warningCode is the only one that Kubernetes uses: a persistent warning.
	warningCode = 299
)

// WarningHandler hands the warnings of the API server to whoever made the request: the engine's client has to be built with
// it for Report.Warnings to be filled. What nobody listens to goes to the log, as it does without it.
func WarningHandler() rest.WarningHandlerWithContext { return warningHandler{} }

type warningHandler struct{}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (warningHandler) HandleWarningHeaderWithContext(ctx context.Context, code int, agent, text string) {
	if heard, ok := ctx.Value(warningsKey{}).(*warnings); ok {
		heard.add(code, text)
		return
	}
	rest.WarningLogger{}.HandleWarningHeaderWithContext(ctx, code, agent, text)
}

type warningsKey struct{}

// warnings collects what was warned of in the requests of one context.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

func listening(ctx context.Context) (context.Context, *warnings) {
	heard := &warnings{}
	return context.WithValue(ctx, warningsKey{}, heard), heard
}

func (w *warnings) add(code int, text string) {
	if text = bounded(text); code != warningCode || text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.texts) < maxHeard && !slices.Contains(w.texts, text) {
		w.texts = append(w.texts, text)
	}
}

func (w *warnings) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.texts)
}

// maxWarned bounds how many texts are remembered of an owner.
const maxWarned = 200

// warned gives the object that a text is told with: the first one that it was heard of. The API server says the same of
// many objects, over several calls, and it is told once.
func (m *memory) warnedOf(text string, key Key) Key {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first, ok := m.warned[text]; ok {
		return first
	}
	if len(m.warned) < maxWarned {
		m.warned[text] = key
	}
	return key
}

// warn adds what was warned of an object, each text once.
func (r *Report) warn(memory *memory, each outcome) {
	for _, text := range each.warnings {
		told := memory.warnedOf(text, each.item.key).String() + ": " + text
		if len(r.Warnings) < maxWarnings && !slices.Contains(r.Warnings, told) {
			r.Warnings = append(r.Warnings, told)
		}
	}
}
