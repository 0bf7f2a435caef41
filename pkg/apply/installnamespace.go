package apply

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/plan"
)

// annotationRequester is where OpenShift keeps the user who asked for a project.
const annotationRequester = "openshift.io/requester"

var namespaces = corev1.SchemeGroupVersion.WithResource("namespaces")

// InstallNamespace reads an install namespace as it is now: whether it exists, is being deleted, and was created by the manager.
func (e *Engine) InstallNamespace(ctx context.Context, owner Owner, name string) (plan.InstallNamespace, error) {
	found := plan.InstallNamespace{Name: name}
	live, err := e.client.Resource(namespaces).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return found, nil
	}
	if err != nil {
		return found, fmt.Errorf("reading the install namespace %q: %w", name, err)
	}
	return asItIs(found, live, owner), nil
}

// asItIs adds what a live namespace shows to what is known of an install namespace.
func asItIs(known plan.InstallNamespace, live *unstructured.Unstructured, owner Owner) plan.InstallNamespace {
	known.Name, known.UID = live.GetName(), live.GetUID()
	known.Exists, known.Terminating = true, live.GetDeletionTimestamp() != nil
	known.Made = madeByManager(live, owner)
	known.Requester = live.GetAnnotations()[annotationRequester]
	return known
}

// useNamespace refuses a namespace that is not the owner's if the revision must not be installed in it: somebody may have created it since
// the revision began. Otherwise it notes whose it is.
func (t task) useNamespace(live *unstructured.Unstructured, result *outcome) {
	found := asItIs(t.options.Namespace, live, t.owner)
	if decision := found.Decide(); decision.Use == plan.NamespaceRefused {
		if t.options.ReadOnly {
			result.live = &seen{} // it is there, and its UID is not that of the namespace that the bundle is installed in
			return
		}
		result.err = &Refusal{Object: t.entry.key, Err: errors.New(decision.Message), Remedy: decision.Remedy}
		return
	}
	t.memory.setGiven(found.Name, true)
	t.memory.setPreexisting(found.Name, !found.Made)
}

// madeByManager says whether a namespace was created by the manager: for the owner, or for another BundleDeployment. Labels alone
// do not count, because whoever creates a namespace may set them.
func madeByManager(live *unstructured.Unstructured, owner Owner) bool {
	_, owned := ownership.MarksOf(live).Owner()
	return owned || owner.isOurs(live, nil)
}

// setUnusable notes whether the install namespace is refused, is being deleted or could not be created. Nothing is created in it then: as
// soon as it is gone, somebody else can create one of the same name.
func (m *memory) setUnusable(namespace string, unusable bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unusable = ""
	if unusable {
		m.unusable = namespace
	}
}

func (m *memory) isUnusable(namespace string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return namespace != "" && m.unusable == namespace
}

func (m *memory) isPreexisting(namespace string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.given[namespace] && m.preexisting[namespace]
}

func (m *memory) setPreexisting(namespace string, preexisting bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.preexisting == nil {
		m.preexisting = map[string]bool{}
	}
	m.preexisting[namespace] = preexisting
}
