package scenarios

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

var clusterVersions = schema.GroupVersionResource{Group: "config.openshift.io", Version: "v1", Resource: "clusterversions"}

// fresh is the checkpoint at which generated stories and reference systems begin: a new cluster with a running manager.
var fresh = harness.Checkpoint{IsOperatorRunning: true}

// referenceBuilder builds reference systems for generate.Oracle: fresh clusters with the declared state of a system in which a story was
// played.
type referenceBuilder struct {
	// first are the steps with which all stories begin.
	first []story.Step
	// corrections are the steps after the story. They correct what users and the author of the catalog got wrong.
	corrections []story.Step

	operator harness.Operator
	kinds    []*generate.Kind
}

// read implements generate.Reference.
func (b *referenceBuilder) read(ctx context.Context, played *story.Story, ended *harness.System) (generate.StartReference, error) {
	found, err := b.declaredIn(ctx, played, ended)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*harness.System, error) { return b.start(ctx, found) }, nil
}

func adminOf(system *harness.System) (dynamic.Interface, error) {
	return dynamic.NewForConfig(system.Runner.Cluster.ClientConfig(scenario.AdminUser))
}

// playQuickly performs steps, and waits after each only until the cluster has settled. System.Play also waits until the manager is at rest.
func playQuickly(ctx context.Context, system *harness.System, steps ...story.Step) error {
	for _, step := range steps {
		if err := system.Runner.Do(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step.Position, err)
		}
		if err := system.Runner.Cluster.Settle(); err != nil {
			return fmt.Errorf("%s: %w", step.Position, err)
		}
	}
	return nil
}

// errOtherBundle is the error of a reference that has installed another bundle of the same version.
var errOtherBundle = errors.New("the published catalog has another bundle of the installed version")

// start starts a reference. The catalogs in a story can have different bundles of the same version, so start tries the catalogs one after
// the other: first for the installed versions, and then for the versions of upgrade steps that have begun.
func (b *referenceBuilder) start(ctx context.Context, wanted *declared) (reference *harness.System, err error) {
	if len(wanted.published) == 0 {
		return b.startWith(ctx, wanted, catalogs{})
	}
	begun := wanted.published
	if len(wanted.begun) == 0 {
		begun = begun[:1]
	}
	for i := range wanted.published {
		for j := range begun {
			tried := catalogs{wanted.published[i : i+1], begun[j : j+1]}
			if reference, err = b.startWith(ctx, wanted, tried); !errors.Is(err, errOtherBundle) {
				return reference, err
			}
		}
	}
	return nil, err
}

// catalogs are the steps that publish the catalogs from which the manager installs the bundles of a reference.
type catalogs struct{ installed, begun []story.Step }

func (b *referenceBuilder) startWith(ctx context.Context, wanted *declared, published catalogs) (*harness.System, error) {
	reference, err := b.operator.StartSystem(ctx, fresh)
	if err != nil {
		return nil, err
	}
	published.installed = slices.Concat(b.first, published.installed)
	if err := wanted.declareIn(ctx, reference, published); err != nil {
		return nil, errors.Join(err, reference.Stop())
	}
	return reference, nil
}

// declareIn declares the same state in a reference. It first installs the bundles that were installed, and begins the upgrade steps that
// had begun. Then it sets the specs, because a spec alone determines neither.
func (d *declared) declareIn(ctx context.Context, reference *harness.System, published catalogs) error {
	client, err := adminOf(reference)
	if err != nil {
		return err
	}
	if err := playQuickly(ctx, reference, published.installed...); err != nil {
		return err
	}
	if err := d.installOperators(ctx, reference, client, published); err != nil {
		return err
	}
	for _, each := range d.Objects(bundleDeployments) {
		if err := installActive(ctx, client, each); err != nil {
			return err
		}
	}
	update, err := newStep("openshift", clusterUpdate{Version: d.version, Forced: true})
	if err != nil {
		return err
	}
	if err := playQuickly(ctx, reference, append([]story.Step{update}, d.published[:min(1, len(d.published))]...)...); err != nil {
		return err
	}
	if err := d.prepare(ctx, client); err != nil {
		return err
	}
	for _, each := range []*generate.Declared{d.managers, d.Declared} {
		if err := each.Declare(ctx, reference); err != nil {
			return err
		}
		if err := reference.Runner.Cluster.Settle(); err != nil {
			return err
		}
	}
	if err := d.edit(ctx, reference); err != nil {
		return err
	}
	return reference.WaitForRest()
}

// installOperators installs the bundles of the PlatformOperators, and begins their upgrade steps. The Pods of bundles that were never
// healthy are not ready meanwhile.
func (d *declared) installOperators(ctx context.Context, reference *harness.System, client dynamic.Interface, published catalogs) (err error) {
	if len(d.unready) > 0 {
		unready, err := newStep("pods", d.unready)
		if err != nil {
			return err
		}
		ready, err := newStep("pods", map[string]any{})
		if err != nil {
			return err
		}
		if err := playQuickly(ctx, reference, unready); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, playQuickly(ctx, reference, ready)) }()
	}
	for _, each := range d.Objects(platformOperators) {
		if bundle, isInstalled := d.installed[each.GetName()]; isInstalled {
			if err := installPinned(ctx, reference, client, each, bundle); err != nil {
				return err
			}
		}
	}
	for _, each := range d.Objects(platformOperators) {
		bundle, isBegun := d.begun[each.GetName()]
		if !isBegun {
			continue
		}
		if err := playQuickly(ctx, reference, published.begun...); err != nil {
			return err
		}
		if err := beginStep(ctx, reference, client, each, bundle); err != nil {
			return err
		}
	}
	return nil
}

// allChannels are the channels of package memo in all catalogs of generated stories. Some catalogs have only the first.
var allChannels = []string{"stable", "fast"}

// installPinned creates a PlatformOperator that is pinned to the version of a bundle. It returns errOtherBundle if the manager installs
// another bundle of this version. Manual approval keeps the bundle when the catalog later has another one.
func installPinned(ctx context.Context, reference *harness.System, client dynamic.Interface, like unstructured.Unstructured, bundle platformv1alpha1.InstalledBundle) error {
	read := &platformv1alpha1.PlatformOperator{}
	if err := into(&like, read); err != nil {
		return err
	}
	kind, _, _ := strings.Cut(bundle.Catalog, "/")
	read.Spec.Paused = false
	read.Spec.Package.Version, read.Spec.Package.Channels = bundle.Version, allChannels
	read.Spec.Package.CatalogSelector = &metav1.LabelSelector{MatchLabels: map[string]string{platformv1alpha1.LabelCatalogKind: kind}}
	upgrades := platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual, ApprovedVersion: bundle.Version}
	if read.Spec.Upgrades != nil {
		upgrades.Edges = read.Spec.Upgrades.Edges
	}
	read.Spec.Upgrades = &upgrades
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(read)
	if err != nil {
		return err
	}
	pinned := generate.Declaration(&unstructured.Unstructured{Object: content})
	if _, err := client.Resource(platformOperators).Create(ctx, pinned, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("installing version %s for PlatformOperator %q: %w", bundle.Version, like.GetName(), err)
	}
	if err := reference.Runner.Cluster.Settle(); err != nil {
		return err
	}
	live, err := client.Resource(platformOperators).Get(ctx, pinned.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	image, _, err := unstructured.NestedString(live.Object, "status", "installed", "image")
	if err == nil && image != bundle.Image {
		err = fmt.Errorf("%w: PlatformOperator %q, version %s", errOtherBundle, like.GetName(), bundle.Version)
	}
	return err
}

// beginStep begins the upgrade step of a PlatformOperator to a bundle, and then pauses the PlatformOperator, which keeps the bundle until
// the spec is declared. It first tries the declared spec, because the manager leaves the step if spec.package or spec.upgrades changes
// later. If only an earlier spec permitted the step, it pins the version. It returns errOtherBundle if the manager has begun the step to
// another bundle.
func beginStep(ctx context.Context, reference *harness.System, client dynamic.Interface, like unstructured.Unstructured, bundle platformv1alpha1.InstalledBundle) error {
	pinned := map[string]any{
		"package":  map[string]any{"version": bundle.Version, "channels": allChannels},
		"upgrades": map[string]any{"approval": platformv1alpha1.ApprovalManual, "approvedVersion": bundle.Version},
	}
	spec, _, err := unstructured.NestedMap(like.Object, "spec", "package")
	if err != nil {
		return err
	}
	declared := map[string]any{"package": map[string]any{"version": nil, "channels": nil, "catalogSelector": nil}, "upgrades": nil}
	maps.Copy(declared["package"].(map[string]any), spec)
	if upgrades, isSet, _ := unstructured.NestedMap(like.Object, "spec", "upgrades"); isSet {
		declared["upgrades"] = map[string]any{"approval": nil, "approvedVersion": nil, "edges": nil}
		maps.Copy(declared["upgrades"].(map[string]any), upgrades)
	}
	step := upgradeStep{reference, client, like.GetName(), bundle}
	for _, spec := range []map[string]any{declared, pinned} {
		isBegun, err := step.begin(ctx, spec)
		if err != nil {
			return err
		}
		if isBegun {
			_, err = step.begin(ctx, map[string]any{"paused": true})
			return err
		}
	}
	return fmt.Errorf("%w: PlatformOperator %q, version %s, whose step is not complete", errOtherBundle, like.GetName(), bundle.Version)
}

// upgradeStep is the step of a PlatformOperator to a bundle.
type upgradeStep struct {
	reference *harness.System
	client    dynamic.Interface
	name      string
	bundle    platformv1alpha1.InstalledBundle
}

// begin merges fields into the spec of the PlatformOperator, and reports whether its BundleDeployment then has the bundle.
func (s upgradeStep) begin(ctx context.Context, spec map[string]any) (bool, error) {
	patch, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		return false, err
	}
	if _, err := s.client.Resource(platformOperators).Patch(ctx, s.name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return false, fmt.Errorf("beginning the step of PlatformOperator %q to version %s: %w", s.name, s.bundle.Version, err)
	}
	if err := s.reference.Runner.Cluster.Settle(); err != nil {
		return false, err
	}
	deployment, err := s.client.Resource(bundleDeployments).Get(ctx, s.name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	recorded, err := recordedBundle(deployment)
	return recorded.Image == s.bundle.Image, err
}

// installActive installs the active version of a BundleDeployment of package notes. If its content came from a Bundle, installActive
// creates the Bundle, which may have been deleted since. The class may have been deleted, too.
func installActive(ctx context.Context, client dynamic.Interface, like unstructured.Unstructured) error {
	read := &corev1alpha2.BundleDeployment{}
	if err := into(&like, read); err != nil || read.Status.ActiveRevision == 0 {
		return err
	}
	version := cmp.Or(read.Status.ActiveBundle, read.Status.Bundle).Version
	const class = "core-rukpak-io-registry"
	image := map[string]any{"type": "image", "image": map[string]any{"ref": fmt.Sprintf("127.0.0.1:%d/bundles/notes:%s", harnessPorts.Registry, version)}}
	active := generate.Declaration(&like)
	unstructured.RemoveNestedField(active.Object, "spec", "paused")
	spec := active.Object["spec"].(map[string]any)
	spec["provisionerClassName"] = class
	switch isUnpacked := meta.IsStatusConditionTrue(read.Status.Conditions, corev1alpha2.ConditionUnpacked); {
	case !isUnpacked: // the source has changed since
		spec["source"] = image
	case read.Spec.Source.Bundle != nil:
		bundle := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"provisionerClassName": class, "source": image}}}
		bundle.SetGroupVersionKind(corev1alpha2.SchemeGroupVersion.WithKind("Bundle"))
		bundle.SetName(read.Spec.Source.Bundle.Name)
		if _, err := client.Resource(bundles).Create(ctx, bundle, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating Bundle %q: %w", bundle.GetName(), err)
		}
	}
	if _, err := client.Resource(bundleDeployments).Create(ctx, active, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("installing version %s for BundleDeployment %q: %w", version, like.GetName(), err)
	}
	return nil
}

// prepare creates the CustomResourceDefinitions that removals kept, and deletes the Bundles that installActive created.
func (d *declared) prepare(ctx context.Context, client dynamic.Interface) error {
	for i := range d.orphaned {
		_, err := client.Resource(definitions).Create(ctx, generate.Declaration(&d.orphaned[i]), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating CustomResourceDefinition %q: %w", d.orphaned[i].GetName(), err)
		}
	}
	for _, each := range d.Objects(bundleDeployments) {
		if err := deleteBundle(ctx, client, each); err != nil {
			return err
		}
	}
	return nil
}

// deleteBundle deletes the Bundle that installActive created. The spec of a Bundle is immutable, and the declared one can differ.
func deleteBundle(ctx context.Context, client dynamic.Interface, like unstructured.Unstructured) error {
	read := &corev1alpha2.BundleDeployment{}
	if err := into(&like, read); err != nil || read.Spec.Source.Bundle == nil {
		return err
	}
	err := client.Resource(bundles).Delete(ctx, read.Spec.Source.Bundle.Name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// edit repeats users' edits of installed objects. An edit that the manager reverted is not repeated, because the live objects have no trace
// of it.
func (d *declared) edit(ctx context.Context, reference *harness.System) error {
	for _, i := range slices.Sorted(maps.Keys(d.edits)) {
		each, wanted := editableObjects[i], d.edits[i]
		client, err := dynamic.NewForConfig(reference.Runner.Cluster.ClientConfig(cmp.Or(each.user, scenario.AdminUser)))
		if err != nil {
			return err
		}
		objects := client.Resource(each.resource).Namespace("memo")
		live, err := objects.Get(ctx, each.name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			continue
		case err == nil && wanted == nil:
			err = objects.Delete(ctx, each.name, metav1.DeleteOptions{})
		case err == nil:
			live.SetLabels(wanted.GetLabels())
			live.Object["spec"] = wanted.Object["spec"]
			_, err = objects.Update(ctx, live, metav1.UpdateOptions{})
		}
		if err != nil {
			return fmt.Errorf("editing %s: %w", each.name, err)
		}
	}
	return nil
}
