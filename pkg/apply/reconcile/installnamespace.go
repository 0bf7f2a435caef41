package reconcile

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/plan"
)

// annotationRequester is where OpenShift keeps the user who asked for a project.
const annotationRequester = "openshift.io/requester"

// InstallNamespaceOf adds what a live namespace shows to what is known of an install namespace.
func InstallNamespaceOf(known plan.InstallNamespace, live *unstructured.Unstructured, owner object.Owner) plan.InstallNamespace {
	known.Name, known.UID = live.GetName(), live.GetUID()
	known.Exists, known.Terminating = true, live.GetDeletionTimestamp() != nil
	known.Created = isMadeByManager(live, owner)
	known.Requester = live.GetAnnotations()[annotationRequester]
	return known
}

// isMadeByManager reports whether the manager created a namespace: for the owner, or for another BundleDeployment. Labels alone do not
// count, because the creator of a namespace may set them.
func isMadeByManager(live *unstructured.Unstructured, owner object.Owner) bool {
	_, owned := ownership.MarksOf(live).Owner()
	return owned || owner.Owns(live, nil)
}

// useNamespace refuses a namespace that is not the owner's if the revision must not be installed in it: another client may have created it since
// the revision began. Otherwise it remembers whose it is.
func (r *reconciliation) useNamespace(live *unstructured.Unstructured) {
	found := InstallNamespaceOf(r.options.Namespace, live, r.options.Claim.Owner)
	if decision := found.Decide(); decision.Use == plan.NamespaceRefused {
		if r.options.ReadOnly {
			r.result.Live = &livecache.Live{} // it exists, and its UID is not that of the namespace that the bundle is installed in
			return
		}
		r.result.Err = &object.Refusal{Object: r.desired.Key, Err: errors.New(decision.Message), Remedy: decision.Remedy}
		return
	}
	r.options.Memory.setNotOwned(found.Name, !found.Created)
}

// setUnusable records whether the install namespace is refused, is being deleted or could not be created. Nothing is created in it then: as
// soon as it is gone, another client can create one of the same name.
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

// isNotOwned reports whether a namespace is known to exist and not to be the owner's.
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

// forgetNamespace forgets a namespace that turned out not to exist.
func (m *Memory) forgetNamespace(namespace string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.notOwned, namespace)
}

// IsPreexisting reports whether an install namespace exists that the manager created for no BundleDeployment.
func (m *Memory) IsPreexisting(namespace string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notOwned[namespace]
}
