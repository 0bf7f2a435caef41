package mustgather

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const listSuffix = "List"

// readObject reads an object's own file.
func (r *reader) readObject(e entry, at location) {
	content := r.decodeFile(e)
	if content == nil {
		return
	}
	if kind, _ := content["kind"].(string); content["items"] != nil && strings.HasSuffix(kind, listSuffix) {
		r.fault(e.path, fmt.Errorf("it is a %s, but the path is that of one object; move it to %s in the parent folder, or delete it",
			truncate.OneLine(kind, truncate.MaxQuoted), truncate.Quote(at.resource.Resource+extension)))
		return
	}
	if err := r.add(content, at, Object{File: e.path}); err != nil {
		r.fault(e.path, err)
	}
}

// readList reads a List.
func (r *reader) readList(e entry, at location) {
	content := r.decodeFile(e)
	if content == nil {
		return
	}
	kind, err := r.itemKind(content, at)
	if err != nil {
		r.fault(e.path, err)
		return
	}
	items, isList := content["items"].([]any)
	if items, has := content["items"]; !has || !isList && items != nil {
		r.fault(e.path, errors.New("items is missing or not a list; "+remedy))
		return
	}
	for i, each := range items {
		item, isObject := each.(map[string]any)
		if !isObject {
			r.fault(e.path, fmt.Errorf("items[%d] is not an object; %s", i, remedy))
			continue
		}
		err := setItemKind(item, kind)
		if err == nil {
			err = r.add(item, at, Object{File: e.path, number: i + 1})
		}
		if err != nil {
			r.fault(e.path, fmt.Errorf("items[%d]: %w", i, err))
		}
	}
}

// itemKind returns the kind of a List's items. It is empty for kind List itself, whose items have any kind.
func (r *reader) itemKind(list map[string]any, at location) (schema.GroupVersionKind, error) {
	gvk, err := kindOf(list)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	if gvk == (schema.GroupVersionKind{Version: "v1", Kind: listSuffix}) {
		return schema.GroupVersionKind{}, nil
	}
	kind, isList := strings.CutSuffix(gvk.Kind, listSuffix)
	if !isList {
		return schema.GroupVersionKind{}, fmt.Errorf("it is a %s, but the path is that of a List; move it to folder %s",
			truncate.OneLine(gvk.Kind, truncate.MaxQuoted), truncate.Quote(at.resource.Resource))
	}
	gvk.Kind = kind
	return gvk, at.checkKind(gvk, r.resourceOf)
}

// setItemKind sets the kind of a List's item that has none. API servers send the items of built-in kinds without it.
func setItemKind(item map[string]any, kind schema.GroupVersionKind) error {
	if kind.Empty() {
		return nil
	}
	if item["apiVersion"] == nil && item["kind"] == nil {
		item["apiVersion"], item["kind"] = kind.GroupVersion().String(), kind.Kind
		return nil
	}
	if item["kind"] != kind.Kind {
		return fmt.Errorf("its kind is not %s, but that of the List is %s; %s",
			truncate.Quote(kind.Kind), truncate.Quote(kind.Kind+listSuffix), remedy)
	}
	return nil
}

// add adds an object to the Input. from has the File and number of the object.
func (r *reader) add(content map[string]any, at location, from Object) error {
	object := from
	object.Unstructured = &unstructured.Unstructured{Object: content}
	if err := at.check(object.Unstructured, r.resourceOf); err != nil {
		return err
	}
	object.Resource = at.resource.WithVersion(object.GroupVersionKind().Version)
	index, isRepeated := r.byKey[keyOf(object)]
	if !isRepeated {
		r.byKey[keyOf(object)] = len(r.input.Objects)
		r.input.Objects = append(r.input.Objects, object)
		return nil
	}
	other := r.input.Objects[index]
	newer, older, canCompare := byAge(object, other)
	if !canCompare {
		return fmt.Errorf("%s is also in %s; delete one of the two", object.subject(), other.source())
	}
	r.input.Objects[index] = newer
	r.input.superseded = append(r.input.superseded, older)
	return nil
}

// byAge orders two copies of an object by their resourceVersions: one in a List, and one in a file of its own. oc adm inspect writes no other
// copies, and byAge cannot order these. With equal resourceVersions, the one in its own file is newer, because oc adm inspect elides it.
func byAge(a, b Object) (newer, older Object, canCompare bool) {
	if (a.number == 0) == (b.number == 0) || a.GetUID() == "" || a.GetUID() != b.GetUID() {
		return Object{}, Object{}, false
	}
	order, err := resourceversion.CompareResourceVersion(a.GetResourceVersion(), b.GetResourceVersion())
	if err != nil {
		return Object{}, Object{}, false
	}
	if order > 0 || order == 0 && a.number == 0 {
		return a, b, true
	}
	return b, a, true
}
