package applyconfiguration

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/applyconfiguration/content"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// definitionResource is the resource of the objects that define custom kinds.
var definitionResource = schema.GroupResource{Group: apiextensionsv1.GroupName, Resource: "customresourcedefinitions"}

// load builds the server of the input. files has the catalogs and images.
func (r *run) load(ctx context.Context, input *mustgather.Input, files fs.FS) error {
	r.input, r.catalogs, r.images = input, content.NewCatalogs(files), content.NewImages(files)
	r.inInput = map[objectID]inputObject{}
	for _, each := range input.Objects {
		r.inInput[objectID{each.Resource.Group, each.Resource.Resource, each.GetNamespace(), each.GetName()}] = inputObject{each.GetResourceVersion(), each.GetFinalizers()}
	}
	r.missingRevisions = revisionsWithoutValues(input)
	if err := r.buildServer(ctx); err != nil {
		return err
	}
	r.input, r.Cache = nil, nil
	return nil
}

// buildServer builds the server of the input.
func (r *run) buildServer(ctx context.Context) error {
	if err := checkIdentities(r.input); err != nil {
		return err
	}
	version, err := r.kubernetesVersion()
	if err != nil {
		return err
	}
	options := manifestserver.Options{KubernetesVersion: version, Clock: frozenClock{now: r.now}, Seed: fmt.Sprint(r.Seed), NotCollected: scopes(r.input.NotCollected), Cache: &r.Cache.server, Default: setDefaults, Release: r.ownsInput, Done: ctx.Done()}
	if options.Definitions, err = r.Cache.definitions(r.input); err != nil {
		return err
	}
	if r.lacksDefinitions = r.input.NotCollected.Has(definitionResource, "", ""); r.lacksDefinitions {
		options.Inferred = slices.Concat(r.inferred, InferredDefinitions(r.input))
	}
	for _, each := range r.input.Objects {
		options.Objects = append(options.Objects, each.Unstructured)
		if each.IsElided() {
			options.MetadataOnly = append(options.MetadataOnly, manifestserver.Scope{GroupResource: each.Resource.GroupResource(), Namespace: each.GetNamespace(), Name: each.GetName()})
		}
	}
	if r.server, err = manifestserver.New(options); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return r.withFile(err)
	}
	r.logOthers()
	return errors.Join(r.checkPaths(), r.checkOwnKinds())
}

// checkPaths returns an error for an object in the folder of another kind.
func (r *run) checkPaths() error {
	var faults []error
	for _, each := range r.input.Objects {
		if served, isServed := r.server.Resource(each.GroupVersionKind()); isServed && served.GroupResource() != each.Resource.GroupResource() {
			faults = append(faults, fmt.Errorf("%s: %s %q belongs to resource %s, but its path is that of %s; move the file to the folder of its resource", each.File, each.GetKind(), each.GetName(), served.GroupResource(), each.Resource.GroupResource()))
		}
	}
	return joinFaults(faults)
}

// logOthers logs the files and objects of the input directory that the run does not use.
func (r *run) logOthers() {
	for _, name := range r.input.Ignored() {
		if name != "content/" {
			klog.Warningf("input: %s is not part of the layout and is ignored", name)
		}
	}
	for _, each := range r.input.Superseded() {
		klog.Warningf("input: %s has an older copy of %s %q, which is ignored", each.File, each.GetKind(), each.GetName())
	}
}

// scopes returns the scopes for the server of what the input lacks.
func scopes(lacks mustgather.NotCollected) []manifestserver.Scope {
	var all []manifestserver.Scope
	for _, each := range lacks.Resources {
		all = append(all, manifestserver.Scope{GroupResource: schema.GroupResource(each)})
	}
	for _, each := range lacks.Namespaces {
		all = append(all, manifestserver.Scope{Namespace: each}, manifestserver.Scope{GroupResource: schema.GroupResource{Resource: "namespaces"}, Name: each})
	}
	return all
}

// checkIdentities returns an error that names the first objects without a uid or a resourceVersion, which each object of a cluster has.
func checkIdentities(input *mustgather.Input) error {
	var faults []error
	for _, each := range input.Objects {
		if each.GetUID() == "" || each.GetResourceVersion() == "" {
			faults = append(faults, fmt.Errorf("%s: %s %q has no metadata.uid or no metadata.resourceVersion; copy the object as the cluster has stored it", each.File, each.GetKind(), each.GetName()))
		}
	}
	return joinFaults(faults)
}

// checkOwnKinds returns an error for an object of the manager's kinds that has a field that its schema does not have. It logs the other
// objects that do not match their schema. The server removes unknown fields. It keeps forbidden values: an API server also keeps
// values that an earlier schema permitted.
func (r *run) checkOwnKinds() error {
	var faults []error
	for _, err := range r.server.InputErrors() {
		faulty, invalid := (*manifestserver.InputError)(nil), (*field.Error)(nil)
		isOwn := errors.As(err, &faulty) && slices.Contains(ownGroups, faulty.Object.GroupVersionKind().Group)
		if isOwn && !errors.As(err, &invalid) {
			faults = append(faults, r.withFile(err))
			continue
		}
		klog.Warningf("input: %v", r.withFile(err))
	}
	return joinFaults(faults)
}

// maxFaults is the maximum number of objects in an error: an input that was written by hand may have thousands of invalid ones.
const maxFaults = 10

// joinFaults joins the first faults, and says how many others there are.
func joinFaults(faults []error) error {
	if len(faults) > maxFaults {
		faults = append(faults[:maxFaults:maxFaults], fmt.Errorf("and %d more", len(faults)-maxFaults))
	}
	return errors.Join(faults...)
}

// withFile puts the file of the object before the error of an object.
func (r *run) withFile(err error) error {
	faulty := (*manifestserver.InputError)(nil)
	if !errors.As(err, &faulty) {
		return err
	}
	at := slices.IndexFunc(r.input.Objects, func(each mustgather.Object) bool { return each.Unstructured == faulty.Object })
	if at < 0 {
		return err
	}
	return fmt.Errorf("%s: %w", r.input.Objects[at].File, err)
}

// kubernetesVersion returns the version of the API server: that of --kubernetes-version, or of ClusterOperator kube-apiserver.
func (r *run) kubernetesVersion() (string, error) {
	if r.KubernetesVersion != "" {
		if _, err := version.ParseSemantic(r.KubernetesVersion); err != nil {
			return "", fmt.Errorf("--kubernetes-version is %q; set it to the version of the cluster's API server, such as v1.36.3", r.KubernetesVersion)
		}
		return r.KubernetesVersion, nil
	}
	for _, each := range r.input.Objects {
		if each.Resource.Resource != "clusteroperators" || each.GetName() != "kube-apiserver" {
			continue
		}
		versions, _, _ := unstructured.NestedSlice(each.Object, "status", "versions")
		for _, entry := range versions {
			if operand, isMap := entry.(map[string]any); isMap && operand["name"] == "kube-apiserver" {
				if version, isText := operand["version"].(string); isText && version != "" {
					return "v" + strings.TrimPrefix(version, "v"), nil
				}
			}
		}
	}
	return "", errors.New("the version of the API server is unknown: set --kubernetes-version, such as v1.36.3 (kubectl version prints that of the cluster), or add ClusterOperator kube-apiserver to the input")
}
