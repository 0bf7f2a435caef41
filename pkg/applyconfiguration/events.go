package applyconfiguration

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/tools/reference"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/operator/events"

	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/scheme"
)

// maxEventPrefix is the maximum number of bytes of an object's name in the name of an Event, which may have 253 bytes.
const maxEventPrefix = maxName - len(".0123456789abcdef")

// recorder creates an Event in the same call, with a name that depends only on its content. client-go's and library-go's recorders create
// Events later, or derive their names from the time, which is the same during a run.
type recorder struct {
	ctx       context.Context
	client    corev1client.EventsGetter
	clock     clock.PassiveClock
	component string
	// involved is the object of Events about the manager.
	involved *corev1.ObjectReference
}

var (
	_ record.EventRecorder = recorder{}
	_ events.Recorder      = managerRecorder{}
)

// Event implements record.EventRecorder.
func (r recorder) Event(object runtime.Object, eventType, reason, message string) {
	involved, err := reference.GetReference(scheme.Scheme, object)
	if err != nil {
		klog.Warningf("creating Event %s: %v", reason, err)
		return
	}
	r.create(involved, eventType, reason, message)
}

// Eventf implements record.EventRecorder.
func (r recorder) Eventf(object runtime.Object, eventType, reason, format string, args ...any) {
	r.Event(object, eventType, reason, fmt.Sprintf(format, args...))
}

// AnnotatedEventf implements record.EventRecorder. It ignores the annotations, because the manager sets none.
//
//nolint:revive // client-go's interface has this many arguments
func (r recorder) AnnotatedEventf(object runtime.Object, _ map[string]string, eventType, reason, format string, args ...any) {
	r.Eventf(object, eventType, reason, format, args...)
}

func (r recorder) create(involved *corev1.ObjectReference, eventType, reason, message string) {
	namespace := involved.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	now := metav1.NewTime(r.clock.Now())
	content := sha256.Sum256([]byte(strings.Join([]string{r.component, involved.Kind, involved.Name, eventType, reason, message}, "\x00")))
	name := fmt.Sprintf("%s.%x", involved.Name[:min(len(involved.Name), maxEventPrefix)], content[:8])
	_, err := r.client.Events(namespace).Create(r.ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: name},
		InvolvedObject: *involved, Type: eventType, Reason: reason, Message: message, Source: corev1.EventSource{Component: r.component},
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}, metav1.CreateOptions{})
	if err != nil {
		klog.Warningf("creating Event %s about %s %q: %v", reason, involved.Kind, involved.Name, err)
	}
}

// managerRecorder records Events about the manager.
type managerRecorder struct {
	recorder
}

// Event implements events.Recorder.
func (r managerRecorder) Event(reason, message string) {
	r.create(r.involved, corev1.EventTypeNormal, reason, message)
}

// Eventf implements events.Recorder.
func (r managerRecorder) Eventf(reason, format string, args ...any) {
	r.Event(reason, fmt.Sprintf(format, args...))
}

// Warning implements events.Recorder.
func (r managerRecorder) Warning(reason, message string) {
	r.create(r.involved, corev1.EventTypeWarning, reason, message)
}

// Warningf implements events.Recorder.
func (r managerRecorder) Warningf(reason, format string, args ...any) {
	r.Warning(reason, fmt.Sprintf(format, args...))
}

// ForComponent implements events.Recorder.
func (r managerRecorder) ForComponent(component string) events.Recorder {
	r.component = component
	return r
}

// WithComponentSuffix implements events.Recorder.
func (r managerRecorder) WithComponentSuffix(suffix string) events.Recorder {
	return r.ForComponent(r.component + "-" + suffix)
}

// WithContext implements events.Recorder.
func (r managerRecorder) WithContext(ctx context.Context) events.Recorder {
	r.ctx = ctx
	return r
}

// ComponentName implements events.Recorder.
func (r managerRecorder) ComponentName() string { return r.component }

// Shutdown implements events.Recorder.
func (r managerRecorder) Shutdown() {}
