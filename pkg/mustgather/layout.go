package mustgather

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	clusterScopedFolder = "cluster-scoped-resources"
	namespacesFolder    = "namespaces"
	coreFolder          = "core"
	// podsFolder is the folder with the logs of Pods, in the folder of a namespace. The Pods themselves are in core/pods.yaml.
	podsFolder = "pods"
	// contentFolder has catalogs and images. Package applyconfiguration/content reads it.
	contentFolder = "content"
	// storyFile and goldenFile are a story that starts with the objects, and its report; capturedFile is the time of their capture. Other
	// packages read them.
	storyFile, goldenFile, capturedFile = "story.yaml", "story.golden", "captured.yaml"
	notCollectedFile                    = "not-collected.yaml"
	extension                           = ".yaml"
	// colon replaces a colon in a file name, as in multi-operator-manager: neither Go modules, with their test data, nor Windows permit colons
	// in file names. oc adm inspect writes colons.
	colon = "-COLON-"
)

var namespaces = schema.GroupResource{Resource: "namespaces"}

// location is what the path of a file states about the objects in it.
type location struct {
	resource  schema.GroupResource
	namespace string // empty for cluster-scoped objects
	fileName  string // of the object's file without the extension; empty for a List
}

// locationOf returns the location of an object's own file.
func locationOf(object Object) location {
	return location{resource: object.Resource.GroupResource(), namespace: object.GetNamespace(), fileName: escape(object.GetName())}
}

// path returns the path of an object's own file, relative to the root of the layout.
func (l location) path() string {
	switch {
	case l.resource == namespaces:
		return path.Join(namespacesFolder, l.fileName, l.fileName+extension)
	case l.namespace == "":
		return path.Join(clusterScopedFolder, folderOf(l.resource.Group), l.resource.Resource, l.fileName+extension)
	}
	return path.Join(namespacesFolder, l.namespace, folderOf(l.resource.Group), l.resource.Resource, l.fileName+extension)
}

// check returns an error if an object does not belong to the location. resourceOf may be nil.
func (l location) check(object *unstructured.Unstructured, resourceOf ResourceFunc) error {
	gvk, err := kindOf(object.Object)
	if err != nil {
		return err
	}
	if err := l.checkKind(gvk, resourceOf); err != nil {
		return err
	}
	name, namespace := object.GetName(), object.GetNamespace()
	switch {
	case name == "":
		return errors.New("metadata.name is missing; " + remedy)
	case namespace != l.namespace && l.namespace == "":
		return fmt.Errorf("metadata.namespace is %s, but the path is that of a cluster-scoped object; "+
			"move the file to the folder of its namespace, or delete it", truncate.Quote(namespace))
	case namespace != l.namespace:
		return fmt.Errorf("metadata.namespace is %s, but the path has namespace %s; move the file to the folder of its namespace, or delete it",
			truncate.Quote(namespace), truncate.Quote(l.namespace))
	case l.fileName != "" && l.fileName != name && l.fileName != escape(name):
		return fmt.Errorf("metadata.name is %s, but the file is named %s; rename the file to %s, or delete it",
			truncate.Quote(name), truncate.Quote(l.fileName+extension), truncate.Quote(escape(name)+extension))
	}
	return nil
}

// checkKind returns an error if a kind's group or resource is not the one in the path. Without a known resource, it compares the groups
// only.
func (l location) checkKind(gvk schema.GroupVersionKind, resourceOf ResourceFunc) error {
	if gvk.Group != l.resource.Group {
		return fmt.Errorf("apiVersion %s has group %s, but the path has group %s; move the file to the folder of its group, or delete it",
			truncate.Quote(gvk.GroupVersion().String()), truncate.Quote(folderOf(gvk.Group)), truncate.Quote(folderOf(l.resource.Group)))
	}
	resource, isKnown := "", false
	switch {
	case gvk.GroupKind() == schema.GroupKind{Kind: "Namespace"}:
		resource, isKnown = namespaces.Resource, true
	case resourceOf != nil:
		resource, isKnown = resourceOf(gvk)
	}
	// The path NAMESPACE/NAMESPACE.yaml does not name the resource, so that its kind is known.
	if isKnown && resource != l.resource.Resource || !isKnown && l.resource == namespaces {
		return fmt.Errorf("kind %s is not the kind of resource %s, which the path has; move the file to the folder of its resource, or delete it",
			truncate.Quote(gvk.Kind), truncate.Quote(l.resource.Resource))
	}
	return nil
}

// validate returns an error if a file at the location would not be read, or would be outside of the layout.
func (l location) validate() error {
	if !isGroupFolder(folderOf(l.resource.Group)) || l.resource.Group == coreFolder {
		return fmt.Errorf("group %s is not the name of an API group", truncate.Quote(l.resource.Group))
	}
	segments := []string{l.resource.Resource, l.fileName}
	if l.namespace != "" {
		segments = append(segments, l.namespace)
	}
	for _, segment := range segments {
		if segment == "" || segment == "." || segment == ".." || strings.ContainsAny(segment, "/\\\x00") {
			return fmt.Errorf("%s cannot be part of a file name", truncate.Quote(segment))
		}
	}
	return nil
}

// kindOf returns the kind of an object.
func kindOf(object map[string]any) (schema.GroupVersionKind, error) {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	switch {
	case apiVersion == "" && kind == "":
		return schema.GroupVersionKind{}, errors.New("apiVersion and kind are missing; " + remedy)
	case apiVersion == "":
		return schema.GroupVersionKind{}, errors.New("apiVersion is missing; " + remedy)
	case kind == "":
		return schema.GroupVersionKind{}, errors.New("kind is missing; " + remedy)
	}
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("apiVersion %s is not GROUP/VERSION; %s", truncate.Quote(apiVersion), remedy)
	}
	return version.WithKind(kind), nil
}

// folderOf returns the name of an API group's folder.
func folderOf(group string) string { return cmp.Or(group, coreFolder) }

// groupOf returns the API group of a folder.
func groupOf(folder string) string {
	if folder == coreFolder {
		return ""
	}
	return folder
}

// isGroupFolder reports whether a folder's name can be that of an API group.
func isGroupFolder(name string) bool {
	return name != podsFolder && len(validation.IsDNS1123Subdomain(name)) == 0
}

func escape(name string) string { return strings.ReplaceAll(name, ":", colon) }
