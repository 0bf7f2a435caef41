package reconcile

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/plan"
)

// annotationRequester is the annotation in which OpenShift stores the user who requested a project.
const annotationRequester = "openshift.io/requester"

// InstallNamespaceOf returns the known state of an install namespace, supplemented with the UID, deletion, creator and requester of the
// live Namespace.
func InstallNamespaceOf(known plan.InstallNamespace, live *unstructured.Unstructured, owner object.Owner) plan.InstallNamespace {
	known.Name, known.UID = live.GetName(), live.GetUID()
	known.Exists, known.Terminating = true, live.GetDeletionTimestamp() != nil
	known.Created, known.Labels = isMadeByManager(live, owner), live.GetLabels()
	known.Requester = live.GetAnnotations()[annotationRequester]
	return known
}

// isMadeByManager reports whether the manager created a namespace, for the owner or for another BundleDeployment. Labels alone are not
// sufficient, because the creator of a namespace may set them.
func isMadeByManager(live *unstructured.Unstructured, owner object.Owner) bool {
	_, owned := ownership.MarksOf(live).Owner()
	return owned || owner.Owns(live, nil)
}

// useNamespace decides whether the revision may use an install namespace that does not belong to the owner. Another client may have created
// the namespace since the revision began. If the revision must not use it, the result is a Refusal, or in a read-only call a Live without a
// UID. Otherwise useNamespace records in Memory that the namespace is not the owner's.
func (r *reconciliation) useNamespace(live *unstructured.Unstructured) {
	found := InstallNamespaceOf(r.options.Namespace, live, r.options.Claim.Owner)
	if decision := found.Decide(); decision.Use == plan.NamespaceRefused {
		if r.options.ReadOnly {
			r.result.Live = &livecache.Live{} // the namespace exists, but the bundle is not installed in it
			return
		}
		r.result.Err = &object.Refusal{Object: r.desired.Key, Err: errors.New(decision.Message), Remedy: decision.Remedy}
		return
	}
	r.options.Memory.setNotOwned(found.Name, !found.Created)
}

// setUnusable records whether the install namespace is refused, is being deleted or could not be created. While it is unusable, nothing is
// created in it: once it is deleted, another client can create a namespace of the same name.
func (m *Memory) setUnusable(namespace string, unusable bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unusable = ""
	if unusable {
		m.unusable = namespace
	}
}

func (m *Memory) isUnusable(namespace string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return namespace != "" && m.unusable == namespace
}

// isNotOwned reports whether Memory records that the namespace exists and does not belong to the owner.
func (m *Memory) isNotOwned(namespace string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, notOwned := m.notOwned[namespace]
	return notOwned
}

func (m *Memory) setNotOwned(namespace string, preexisting bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notOwned[namespace] = preexisting
}

// forgetNamespace removes a namespace that does not exist from notOwned.
func (m *Memory) forgetNamespace(namespace string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.notOwned, namespace)
}

// IsPreexisting reports whether an install namespace exists that the manager did not create for any BundleDeployment. It returns false for
// a namespace that is not in Memory.
func (m *Memory) IsPreexisting(namespace string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notOwned[namespace]
}
