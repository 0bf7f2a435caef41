package capture

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/store"
)

// revisionID identifies a stored revision.
type revisionID struct {
	store.Owner
	number string
}

// harmless returns the revisions that have no object of kind Secret, from the Secrets that store them. The values of these Secrets are not
// confidential: they only repeat objects of the bundle.
func harmless(objects []mustgather.Object) map[revisionID]bool {
	var secrets []corev1.Secret
	owners := map[store.Owner]bool{}
	for _, each := range objects {
		secret := corev1.Secret{}
		if id, isRevision := revisionOf(each); isRevision && runtime.DefaultUnstructuredConverter.FromUnstructured(each.Object, &secret) == nil {
			secrets = append(secrets, secret)
			owners[id.Owner] = true
		}
	}
	found := map[revisionID]bool{}
	for owner := range owners {
		revisions, _ := store.Decode(secrets, owner) // a damaged revision is not in the result
		for _, each := range revisions {
			found[revisionID{owner, strconv.FormatInt(each.Number, 10)}] = !hasSecret(each.Objects)
		}
	}
	return found
}

func hasSecret(objects []unstructured.Unstructured) bool {
	for i := range objects {
		if objects[i].GroupVersionKind().GroupKind() == corev1.SchemeGroupVersion.WithKind("Secret").GroupKind() {
			return true
		}
	}
	return false
}

// revisionOf returns the revision that an object stores. It returns false if the object is not a Secret of a revision.
func revisionOf(object mustgather.Object) (revisionID, bool) {
	secretType, _, _ := unstructured.NestedString(object.Object, "type")
	owners := object.GetOwnerReferences()
	if object.GetKind() != "Secret" || secretType != string(store.SecretType) || len(owners) != 1 {
		return revisionID{}, false
	}
	return revisionID{store.Owner{Name: owners[0].Name, UID: owners[0].UID}, object.GetLabels()[store.LabelNumber]}, true
}

// keepsValues reports whether the capture keeps the values of an object: those of objects that are no Secrets, of the index of a revision, and
// of the parts of a harmless revision.
func keepsValues(object mustgather.Object, harmless map[revisionID]bool) bool {
	if object.GetKind() != "Secret" {
		return true
	}
	id, isRevision := revisionOf(object)
	return isRevision && (object.GetLabels()[store.LabelRole] == store.RoleIndex || harmless[id])
}
