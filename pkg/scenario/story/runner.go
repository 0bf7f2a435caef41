package story

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

// Runner runs stories on a cluster. Use it in a testing/synctest bubble, and from one goroutine at a time.
type Runner struct {
	// Cluster is the cluster that stories change. Required.
	Cluster *scenario.Cluster
	// Verbs are the verbs that were passed to Read or Parse. Required.
	Verbs map[string]Verb
	// Processes are the running processes, keyed by their names in stories. Verbs may change the map.
	Processes map[string]*scenario.Process
	// OnRefusal is called with each error that Step.Refused permits: a refusal or, with MayBeRefused, also an error 404 or 409. Do calls
	// it; Run does not. It is optional.
	OnRefusal func(step Step, refusal error)
	// State describes the objects whose changes belong in the report. Descriptions must not differ from run to run. It is optional.
	State func(ctx context.Context) ([]Description, error)
	// Operator lists the users whose writes belong in the report.
	Operator []string
	// Pods returns the behavior of Pods in namespaces that verb "pods" does not name. The cluster does not call it before the first step
	// with verb "pods". The default is workloads.Ready.
	Pods func(pod *corev1.Pod) workloads.Behavior
	// IsReported reports whether an Event belongs in the report. Nil selects all Events.
	IsReported func(event corev1.Event) bool

	// Mask replaces the parts of a report's line that differ from run to run, such as durations. It is optional.
	Mask func(line string) string

	clients map[string]*client
	// injected are the faults that steps have injected, and removed those that RemoveFaults has removed.
	injected, removed []injected
	// applications are the "apply" steps that "wait" repeats.
	applications []*application
	// before holds Description.Lines after the previous step, keyed by Description.Object.
	before map[string][]string
}

// Description describes an object for the report.
type Description struct {
	// Object is the object's name in the report, such as "Widget/a".
	Object string
	// Lines describe the object's state.
	Lines []string
}

// Run runs a story and returns the report. It returns an error if an injected fault applied to no request. At the first error it stops, and
// returns the report up to that point together with the error. If the story has From, the caller must call Settle before Run, and the
// report omits the initial state and the earlier Events.
func (r *Runner) Run(ctx context.Context, story *Story) (string, error) {
	var report strings.Builder
	fmt.Fprintf(&report, "%s\n", story.Title)
	events, err := r.newEvents()
	if err != nil {
		return "", err
	}
	if story.From != "" {
		if _, err := r.report(ctx, time.Now(), events); err != nil {
			return "", err
		}
	}
	for i, step := range story.Steps {
		begun := time.Now()
		refusal, err := r.step(ctx, step)
		if err != nil {
			return report.String(), fmt.Errorf("%s: %w", step.Position, err)
		}
		lines, err := r.report(ctx, begun, events)
		if err != nil {
			return report.String(), fmt.Errorf("%s: %w", step.Position, err)
		}
		fmt.Fprintf(&report, "\n%d. %s\n", i+1, step.name())
		if refusal != nil {
			lines = slices.Insert(lines, 0, "refused: "+refusal.Error())
		}
		for _, line := range lines {
			if r.Mask != nil {
				line = r.Mask(line)
			}
			fmt.Fprintf(&report, "   %s\n", line)
		}
		if err := r.CheckExpectations(ctx, step); err != nil {
			return report.String(), err
		}
	}
	return report.String(), r.unused()
}

// name returns the step's title, or its verb if there is no title.
func (s Step) name() string {
	if s.Title != "" {
		return s.Title
	}
	return s.Verb
}

// step performs a step and waits until the cluster has settled. It returns the API server's refusal if the step permits it.
func (r *Runner) step(ctx context.Context, step Step) (refusal, err error) {
	if refusal, err = r.do(ctx, step); err != nil {
		return nil, err
	}
	return refusal, r.Cluster.Settle()
}

// report returns what has happened since a step began: the operator's writes, the Events, and the changes to the state.
func (r *Runner) report(ctx context.Context, since time.Time, events *eventReader) ([]string, error) {
	var lines []string
	if r.State != nil {
		changed, err := r.changes(ctx)
		if err != nil {
			return nil, err
		}
		lines = append(lines, changed...)
	}
	for _, write := range r.writes(since) {
		lines = append(lines, "write: "+write)
	}
	created, err := events.created(ctx)
	if err != nil {
		return nil, err
	}
	for _, event := range created {
		lines = append(lines, "event: "+event)
	}
	switch {
	case len(lines) > 0:
	case r.State == nil && len(r.Operator) == 0:
		lines = []string{"no Event; without Runner.State and Runner.Operator, the report has no other changes"}
	default:
		lines = []string{"nothing changed"}
	}
	return lines, nil
}

// changes returns the lines of the state that are not in the state after the previous step, and the objects that no longer exist. It keeps
// the state for the next call.
func (r *Runner) changes(ctx context.Context) ([]string, error) {
	state, err := r.State(ctx)
	if err != nil {
		return nil, err
	}
	var lines []string
	now := map[string][]string{}
	for _, described := range state {
		now[described.Object] = described.Lines
		before, existed := r.before[described.Object]
		if existed && slices.Equal(before, described.Lines) {
			continue
		}
		lines = append(lines, described.Object)
		for _, line := range described.Lines {
			if !slices.Contains(before, line) {
				lines = append(lines, "  "+line)
			}
		}
	}
	for _, object := range slices.Sorted(maps.Keys(r.before)) {
		if _, exists := now[object]; !exists {
			lines = append(lines, object+" is gone")
		}
	}
	r.before = now
	return lines, nil
}

// writes returns the operator's writes since a time, sorted and without duplicates. It omits writes that depend on the order of goroutines.
func (r *Runner) writes(since time.Time) []string {
	var writes []string
	for _, request := range r.Cluster.Requests() {
		if request.Time.Before(since) || !request.IsWrite() || dependsOnOrder(request) || !slices.Contains(r.Operator, request.User) {
			continue
		}
		_, line, _ := strings.Cut(request.String(), ": ") // without the user
		if ok, found := strings.CutSuffix(line, fmt.Sprintf(": %d", request.Code)); found && request.Code < 300 {
			line = ok
		}
		writes = append(writes, line)
	}
	slices.Sort(writes)
	return slices.Compact(writes)
}

// dependsOnOrder reports whether a write depends on the order of goroutines: a conflict, the deletion of an object that is already deleted,
// or a write to an Event or a Lease.
func dependsOnOrder(request scenario.Request) bool {
	return request.Code == http.StatusConflict || request.Verb == "delete" && request.Code == http.StatusNotFound ||
		request.Resource.Resource == "events" || request.Resource.Resource == "leases"
}

// eventReader reads Events. Each call of its method created returns the Events that were created or repeated since the previous call.
type eventReader struct {
	client     kubernetes.Interface
	isReported func(event corev1.Event) bool
	known      map[string]int32
}

func (r *Runner) newEvents() (*eventReader, error) {
	client, err := kubernetes.NewForConfig(r.Cluster.StepClientConfig(scenario.AdminUser))
	return &eventReader{client: client, isReported: r.IsReported, known: map[string]int32{}}, err
}

func (e *eventReader) created(ctx context.Context) ([]string, error) {
	list, err := e.client.CoreV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, event := range list.Items {
		if count, known := e.known[string(event.UID)]; known && count == event.Count || e.isReported != nil && !e.isReported(event) {
			continue
		}
		e.known[string(event.UID)] = event.Count
		lines = append(lines, describeEvent(event))
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil
}

func describeEvent(event corev1.Event) string {
	return fmt.Sprintf("%s %s %s/%s: %s", event.Type, event.Reason, event.InvolvedObject.Kind, event.InvolvedObject.Name, event.Message)
}
