package registryv1

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Options are what a rendering depends on beside the bundle's content.
type Options struct {
	// InstallNamespace is where the operator's namespaced objects go; required.
	InstallNamespace string
	// Config is what the user says; the zero value is what the author would do.
	Config Config
	// Certificates is who makes the certificates of webhooks; empty when the cluster has nobody who does. What does not need
	// certificates does not depend on it.
	Certificates Certificates
}

// rendering is one call of Render: the options, and what several families of objects derive from them.
type rendering struct {
	*Bundle
	opts    Options
	targets []string
	servers []server
}

// server is the one that a webhook names; validation made sure that it is there.
func (r *rendering) server(deployment string) server {
	for _, s := range r.servers {
		if s.deployment.Name == deployment {
			return s
		}
	}
	return server{}
}

func watchesAll(targets []string) bool {
	return len(targets) == 1 && targets[0] == allNamespaces
}

// generator makes one family of objects.
type generator func(r *rendering) ([]unstructured.Unstructured, error)

// generators is the list of families.
var generators = [...]generator{
	renderManifests,
	renderServiceAccounts,
	renderRBAC,
	renderDeployments,
	renderServices,
	renderCertificates,
	renderWebhooks,
}

// NeedsCertificates tells whether the bundle has webhooks, so that Options.Certificates counts.
func (b *Bundle) NeedsCertificates() bool {
	return len(b.csv.Spec.WebhookDefinitions) > 0
}

// Render gives the objects to apply, sorted by group, kind, namespace and name. Errors are for the user: a namespace that cannot
// be, a configuration that the bundle does not support, or a cluster without what the bundle needs (ErrNoCertificates).
// Callers may change the metadata of what they get; everything below it is shared with the bundle and with other renderings,
// and must be copied before it is changed.
func (b *Bundle) Render(opts Options) ([]unstructured.Unstructured, error) {
	objects, err := b.render(opts)
	if err != nil {
		return nil, fmt.Errorf("rendering bundle %q: %w", b.meta.Name, err)
	}
	return objects, nil
}

func (b *Bundle) render(opts Options) ([]unstructured.Unstructured, error) {
	if problems := utilvalidation.IsDNS1123Label(opts.InstallNamespace); len(problems) > 0 {
		return nil, fmt.Errorf("install namespace %s: %s", truncate.Quote(opts.InstallNamespace), strings.Join(problems, ", "))
	}
	targets, err := b.targetNamespaces(opts)
	if err != nil {
		return nil, &ConfigError{err}
	}
	r := &rendering{Bundle: b, opts: opts, targets: targets, servers: webhookServers(b, opts.InstallNamespace)}
	if b.NeedsCertificates() {
		if err := opts.Certificates.check(); err != nil {
			return nil, err
		}
	}
	var objects []unstructured.Unstructured
	for _, generate := range generators {
		more, err := generate(r)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	return inOrder(objects)
}

// inOrder sorts the objects and refuses one that is there twice, for example a Deployment that the install strategy and a
// manifest both define.
func inOrder(objects []unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	type keyed struct {
		id  identity
		obj unstructured.Unstructured
	}
	list := make([]keyed, len(objects))
	for i, o := range objects {
		list[i] = keyed{identify(o), o}
	}
	slices.SortFunc(list, func(x, y keyed) int { return x.id.compare(y.id) })
	for i, k := range list {
		if i > 0 && k.id == list[i-1].id {
			return nil, fmt.Errorf("%s %q comes out twice: a manifest defines what the ClusterServiceVersion asks for too; rename one", k.id.kind.Kind, k.id.name)
		}
		objects[i] = k.obj
	}
	return objects, nil
}

type identity struct {
	kind            schema.GroupKind
	namespace, name string
}

func identify(o unstructured.Unstructured) identity {
	return identity{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
}

func (i identity) compare(j identity) int {
	return cmp.Or(
		cmp.Compare(i.kind.Group, j.kind.Group),
		cmp.Compare(i.kind.Kind, j.kind.Kind),
		cmp.Compare(i.namespace, j.namespace),
		cmp.Compare(i.name, j.name),
	)
}
