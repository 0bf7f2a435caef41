package capture

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/store"
)

// The values of Secrets are removed. Those of a stored revision are the objects of a bundle, which a round needs. So a revision with objects
// of kind Secret is stored again with the sizes of their values in place of the values. The Secrets in the cluster that were applied from it
// get the same values, so that they do not differ from it.

// maskedPrefix begins what replaces a value. It is not what oc adm inspect writes, which means that nothing is known of the value.
const maskedPrefix = "removed by capture, size "

// withoutValues returns the objects without the values of Secrets. It changes them in place.
func withoutValues(objects []mustgather.Object) []mustgather.Object {
	revisions := revisionsOf(objects)
	digests, owners := map[string]string{}, map[string]bool{}
	stored := map[string]map[string]any{} // the data of the Secrets of revisions, by name; nil if they are not known
	for owner, all := range revisions {
		revisions[owner] = nil
		for _, each := range all {
			data, digest, err := masked(owner, each)
			if err != nil {
				continue // its Secrets lose their values, so that the revision counts as not collected
			}
			revisions[owner] = append(revisions[owner], each)
			for name, values := range data {
				stored[name] = values
			}
			if digest != each.Digest {
				digests[each.Digest], owners[owner.Name] = digest, true
			}
		}
	}
	var kept []mustgather.Object
	for _, each := range objects {
		switch {
		case each.GetKind() != "Secret":
			replaceDigests(each, digests)
		case isOfRevision(each) && stored[each.GetName()] != nil:
			each.Object["data"] = stored[each.GetName()]
		case isOfRevision(each) && isReadable(each, revisions):
			continue // a part that the revision does not have without the values, or that an earlier one left behind
		case owners[each.GetLabels()[corev1alpha2.LabelOwnerName]]:
			mask(each.Unstructured)
		default:
			mustgather.Elide(each.Unstructured)
		}
		kept = append(kept, each)
	}
	return kept
}

// revisionsOf returns the stored revisions among objects that are complete, by their BundleDeployments.
func revisionsOf(objects []mustgather.Object) map[store.Owner][]*store.Revision {
	var secrets []corev1.Secret
	found := map[store.Owner][]*store.Revision{}
	for _, each := range objects {
		secret := corev1.Secret{}
		if isOfRevision(each) && runtime.DefaultUnstructuredConverter.FromUnstructured(each.Object, &secret) == nil {
			secrets = append(secrets, secret)
			found[ownerOf(each)] = nil
		}
	}
	for owner := range found {
		found[owner], _ = store.Decode(secrets, owner) // a damaged revision is not in the result
	}
	return found
}

func isOfRevision(object mustgather.Object) bool {
	secretType, _, _ := unstructured.NestedString(object.Object, "type")
	return object.GetKind() == "Secret" && secretType == string(store.SecretType) && len(object.GetOwnerReferences()) == 1
}

// ownerOf returns the BundleDeployment of a Secret of a revision.
func ownerOf(object mustgather.Object) store.Owner {
	owner := object.GetOwnerReferences()[0]
	return store.Owner{Name: owner.Name, UID: owner.UID}
}

// isReadable reports whether a Secret has the number of one of the revisions.
func isReadable(object mustgather.Object, revisions map[store.Owner][]*store.Revision) bool {
	for _, each := range revisions[ownerOf(object)] {
		if strconv.FormatInt(each.Number, 10) == object.GetLabels()[store.LabelNumber] {
			return true
		}
	}
	return false
}

// masked returns the data of the Secrets of a revision without the values of objects of kind Secret, by their names, and the digest of these
// objects. It is that of the revision if it has no such objects.
func masked(owner store.Owner, revision *store.Revision) (map[string]map[string]any, string, error) {
	changed := &store.Revision{Header: revision.Header}
	for i := range revision.Objects {
		object := revision.Objects[i].DeepCopy()
		mask(object)
		changed.Objects = append(changed.Objects, *object)
	}
	secrets, err := store.Secrets(owner, changed)
	if err != nil {
		return nil, "", err
	}
	if changed.Parts > revision.Parts {
		return nil, "", fmt.Errorf("revision %d of BundleDeployment %q has more parts without the values", revision.Number, owner.Name)
	}
	data := map[string]map[string]any{}
	for _, each := range secrets {
		values := map[string]any{}
		for key, value := range each.Data {
			values[key] = base64.StdEncoding.EncodeToString(value)
		}
		data[each.Name] = values
	}
	return data, changed.Digest, nil
}

// mask replaces the values of a Secret by their sizes, but for certificates. It leaves objects of other kinds as they are.
func mask(object *unstructured.Unstructured) {
	if object.GroupVersionKind().GroupKind() != corev1.SchemeGroupVersion.WithKind("Secret").GroupKind() {
		return
	}
	mustgather.Elide(object)
	for _, field := range []string{"data", "stringData"} {
		values, _ := object.Object[field].(map[string]any)
		for key, value := range values {
			text, _ := value.(string)
			decoded := []byte(text)
			if field == "data" {
				decoded, _ = base64.StdEncoding.DecodeString(text) // as Elide has encoded it
			}
			size, isElided := strings.CutSuffix(string(decoded), " bytes long")
			if _, err := strconv.Atoi(size); !isElided || err != nil {
				continue // a certificate
			}
			replaced := maskedPrefix + size
			if field == "data" {
				replaced = base64.StdEncoding.EncodeToString([]byte(replaced))
			}
			values[key] = replaced
		}
	}
}

// replaceDigests replaces the digests of revisions in the status of a BundleDeployment.
func replaceDigests(object mustgather.Object, digests map[string]string) {
	if object.GetKind() != "BundleDeployment" {
		return
	}
	revisions, _, _ := unstructured.NestedSlice(object.Object, "status", "revisions")
	for _, each := range revisions {
		revision, _ := each.(map[string]any)
		before, _ := revision["digest"].(string)
		if digest, isChanged := digests[before]; isChanged {
			revision["digest"] = digest
		}
	}
	if len(revisions) > 0 {
		_ = unstructured.SetNestedSlice(object.Object, revisions, "status", "revisions") // what NestedSlice returns can be set
	}
}
