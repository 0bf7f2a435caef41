package invariants

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/environment"
)

// The following constants are the type and the labels of Secrets that store revisions.
const (
	secretType  = corev1alpha2.GroupName + "/revision"
	labelOf     = corev1alpha2.GroupName + "/revision-of"
	labelNumber = corev1alpha2.GroupName + "/revision-number"
	labelRole   = corev1alpha2.GroupName + "/revision-role"
)

// key identifies an object, regardless of its API version.
type key struct {
	schema.GroupKind
	Namespace, Name string
}

func keyOf(object *unstructured.Unstructured) key {
	return key{object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName()}
}

// String returns the kind, namespace and name.
func (k key) String() string {
	if k.Namespace == "" {
		return k.Kind + " " + k.Name
	}
	return k.Kind + " " + k.Namespace + "/" + k.Name
}

// revision is a stored revision of a BundleDeployment.
type revision struct {
	number  int64
	objects []*unstructured.Unstructured
	keys    map[key]bool
}

// revisions returns the stored revisions of a BundleDeployment that can be read completely, keyed by number.
func (c *Cluster) revisions(deployment *corev1alpha2.BundleDeployment) map[int64]*revision {
	found := map[int64]*revision{}
	for _, each := range c.List(secretResource, environment.Namespace) {
		labels := each.GetLabels()
		if labels[labelOf] != deployment.Name || labels[labelRole] != "index" || !strings.HasPrefix(each.GetName(), "revision.") {
			continue
		}
		if known := c.state.revisions[each.GetUID()]; known != nil {
			found[known.number] = known
			continue
		}
		read, err := c.readRevision(each, deployment)
		if err != nil {
			continue // a user changed or deleted a Secret of the revision, so the manager cannot read the revision either
		}
		c.state.revisions[each.GetUID()] = read
		found[read.number] = read
	}
	c.remember(deployment, found)
	return found
}

// readRevision reads a revision from its index Secret and from the Secrets with its parts.
func (c *Cluster) readRevision(index *unstructured.Unstructured, deployment *corev1alpha2.BundleDeployment) (*revision, error) {
	content, err := dataOf(index, "header.json")
	if err != nil {
		return nil, err
	}
	var header struct {
		Number int64 `json:"number"`
		Parts  int   `json:"parts"`
	}
	if err := json.Unmarshal(content, &header); err != nil {
		return nil, err
	}
	var packed []byte
	for i := range header.Parts {
		part := c.Get(secretResource, environment.Namespace, fmt.Sprintf("%s.p%d", index.GetName(), i))
		if part == nil {
			return nil, errors.New("a part is missing")
		}
		content, err := dataOf(part, "objects.jsonl.gz.part")
		if err != nil {
			return nil, err
		}
		packed = append(packed, content...)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	read := &revision{number: header.Number, keys: map[key]bool{}}
	for lines := json.NewDecoder(unpacked); ; {
		var line json.RawMessage
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(line); err != nil {
			return nil, err
		}
		read.objects = append(read.objects, object)
		read.keys[keyOf(object)] = true
	}
	for _, each := range read.objects {
		if each.GetKind() == "CustomResourceDefinition" {
			read.keys[readerRole(deployment)] = true
		}
	}
	read.keys[installNamespace(deployment)] = true
	return read, nil
}

// installNamespace and readerRole return the objects that the manager applies in addition to those of the bundle: the namespace, and the
// ClusterRole with which it looks for custom resources of the bundle's CustomResourceDefinitions.
func installNamespace(deployment *corev1alpha2.BundleDeployment) key {
	return key{schema.GroupKind{Kind: "Namespace"}, "", deployment.Spec.InstallNamespace}
}

func readerRole(deployment *corev1alpha2.BundleDeployment) key {
	kind := schema.GroupKind{Group: clusterRoleResource.Group, Kind: "ClusterRole"}
	return key{kind, "", "platform-operators:" + deployment.Name + ":custom-resources"}
}

func dataOf(secret *unstructured.Unstructured, name string) ([]byte, error) {
	encoded, _, _ := unstructured.NestedString(secret.Object, "data", name)
	return base64.StdEncoding.DecodeString(encoded)
}

// remember adds the objects of a BundleDeployment's revisions to ruleState.applied, from which nothingRemains reads them after the
// BundleDeployment is gone.
func (c *Cluster) remember(deployment *corev1alpha2.BundleDeployment, revisions map[int64]*revision) {
	of := owner{deployment.Name, deployment.UID}
	if c.state.applied[of] == nil {
		c.state.applied[of] = map[key]bool{}
	}
	for _, revision := range revisions {
		for listed := range revision.keys {
			c.state.applied[of][listed] = true
		}
	}
}

// isListed reports whether one of the revisions lists an object.
func isListed(revisions map[int64]*revision, object key) bool {
	for _, each := range revisions {
		if each != nil && each.keys[object] {
			return true
		}
	}
	return false
}
