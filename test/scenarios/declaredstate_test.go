package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// editableObjects are the objects of package memo that users edit in generated stories.
var editableObjects = []editedObject{
	{schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "memo", "Deployment/memo/memo", tenantUser},
	{schema.GroupVersionResource{Version: "v1", Resource: "services"}, "memo-metrics", "Service/memo/memo-metrics", ""},
}

type editedObject struct {
	resource schema.GroupVersionResource
	name     string
	// target is the name of the object in steps.
	target string
	// user edits the object, or an admin if it is empty. The reference repeats the edits as the same user, because a BundleDeployment's
	// status contains the field manager.
	user string
}

// isEditedBy reports whether a step patches or deletes the object.
func (e editedObject) isEditedBy(step story.Step) bool {
	if step.Verb == "delete" {
		var target string
		return step.Arguments.Into(&target) == nil && target == e.target
	}
	arguments := map[string]any{}
	return step.Verb == "patch" && step.Arguments.Into(&arguments) == nil && arguments["object"] == e.target
}

// declared is the declared state of a system: the specs of users' objects, the version of the cluster, the published catalogs, and users'
// edits of installed objects.
type declared struct {
	*generate.Declared

	// managers has the PlatformOperatorManager. Its settings hold for all operators, so it is declared before them.
	managers *generate.Declared
	// installed has the bundle that each PlatformOperator had installed, by the name of the PlatformOperator. It depends on earlier steps.
	installed map[string]platformv1alpha1.InstalledBundle
	// begun has the bundle of the upgrade step that each PlatformOperator has begun and not completed, by the name of the PlatformOperator.
	// The manager does not abort such a step if a later spec or catalog would not begin it.
	begun map[string]platformv1alpha1.InstalledBundle
	// unready holds arguments of verb pods that keep Pods not ready. Its keys are the install namespaces of operators that began an upgrade
	// step from a bundle that was never healthy. In the reference, that bundle must not become healthy either.
	unready map[string]any
	// version is the version of the cluster.
	version string
	// published are the steps that published catalogs, the last one first.
	published []story.Step
	// orphaned are the CustomResourceDefinitions that removals kept. A new BundleDeployment takes them over only as its spec.adoption permits.
	orphaned []unstructured.Unstructured
	// edits holds the live objects that a step has edited, keyed by index in editableObjects. The value is nil if the object does not
	// exist.
	edits map[int]*unstructured.Unstructured
}

// declaredIn reads the declared state of a system.
func (b *referenceBuilder) declaredIn(ctx context.Context, played *story.Story, ended *harness.System) (*declared, error) {
	client, err := adminOf(ended)
	if err != nil {
		return nil, err
	}
	found := &declared{installed: map[string]platformv1alpha1.InstalledBundle{}, begun: map[string]platformv1alpha1.InstalledBundle{}, unready: map[string]any{}, edits: map[int]*unstructured.Unstructured{}}
	if found.Declared, err = generate.ReadDeclared(ctx, ended, b.kinds); err != nil {
		return nil, err
	}
	settings := slices.DeleteFunc(slices.Clone(b.kinds), func(kind *generate.Kind) bool { return kind.Resource != managers })
	if found.managers, err = generate.ReadDeclared(ctx, ended, settings); err != nil {
		return nil, err
	}
	if err := found.readInstalled(); err != nil {
		return nil, err
	}
	if err := found.readBegun(ctx, client); err != nil {
		return nil, err
	}
	if err := found.readOrphaned(ctx, client); err != nil {
		return nil, err
	}
	if found.version, err = versionOf(ctx, client); err != nil {
		return nil, err
	}
	for _, step := range slices.Concat(played.Steps, b.corrections) {
		if step.Verb == "publish" {
			found.published = slices.Insert(found.published, 0, step)
		}
	}
	for i, each := range editableObjects {
		if !slices.ContainsFunc(played.Steps, each.isEditedBy) {
			continue
		}
		live, err := client.Resource(each.resource).Namespace("memo").Get(ctx, each.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			live, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
		found.edits[i] = live
	}
	return found, nil
}

func (d *declared) readInstalled() error {
	for _, each := range d.Objects(platformOperators) {
		read := &platformv1alpha1.PlatformOperator{}
		if err := into(&each, read); err != nil {
			return err
		}
		if read.Status.Installed != nil {
			d.installed[read.Name] = *read.Status.Installed
		}
	}
	return nil
}

// readBegun reads the bundles of BundleDeployments that differ from the installed ones.
func (d *declared) readBegun(ctx context.Context, client dynamic.Interface) error {
	for name, installed := range d.installed {
		deployment, err := client.Resource(bundleDeployments).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		bundle, err := recordedBundle(deployment)
		if err != nil {
			return err
		}
		if bundle.Image == installed.Image {
			continue
		}
		d.begun[name] = bundle
		namespace, _, err := unstructured.NestedString(deployment.Object, "spec", "installNamespace")
		if err != nil {
			return err
		}
		if active, _, err := unstructured.NestedInt64(deployment.Object, "status", "activeRevision"); err != nil {
			return err
		} else if active == 0 {
			d.unready[namespace] = map[string]any{"notReady": true}
		}
	}
	return nil
}

// recordedBundle returns the bundle that a PlatformOperator's BundleDeployment has or is upgraded to.
func recordedBundle(deployment *unstructured.Unstructured) (bundle platformv1alpha1.InstalledBundle, err error) {
	if err := json.Unmarshal([]byte(deployment.GetAnnotations()[platformv1alpha1.AnnotationBundle]), &bundle); err != nil {
		return bundle, fmt.Errorf("annotation %s of BundleDeployment %q: %w", platformv1alpha1.AnnotationBundle, deployment.GetName(), err)
	}
	return bundle, nil
}

func (d *declared) readOrphaned(ctx context.Context, client dynamic.Interface) error {
	found, err := client.Resource(definitions).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, each := range found.Items {
		if _, isKept := each.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom]; isKept {
			d.orphaned = append(d.orphaned, each)
		}
	}
	return nil
}

func versionOf(ctx context.Context, client dynamic.Interface) (string, error) {
	cluster, err := client.Resource(clusterVersions).Get(ctx, "version", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	version, _, err := unstructured.NestedString(cluster.Object, "status", "desired", "version")
	return version, err
}
