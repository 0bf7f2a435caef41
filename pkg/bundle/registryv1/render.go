package registryv1

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// rendering is the state of one call of Render: the bundle, the options, and values that several generators derive from them.
type rendering struct {
	*Bundle
	opts    bundle.Options
	config  Config
	targets []string
	servers []server
}

// server returns the server of a Deployment, or a zero server if the Deployment serves no webhook.
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

// generator renders the objects for one purpose.
type generator func(r *rendering) ([]unstructured.Unstructured, error)

// generators are all generators. The order does not matter, because Render sorts the objects.
var generators = [...]generator{
	renderManifests,
	renderServiceAccounts,
	renderRBAC,
	renderCustomResourceRoles,
	renderDeployments,
	renderServices,
	renderCertificates,
	renderWebhooks,
}

// CheckConfig checks the JSON of a Config, and returns a *bundle.ConfigError if it is invalid. Render checks what depends on the bundle,
// such as install modes.
func (b *Bundle) CheckConfig(config []byte) error {
	if _, err := ParseConfig(config); err != nil {
		return &bundle.ConfigError{Err: err}
	}
	return nil
}

// RequiresCertificates reports whether the bundle has webhooks.
func (b *Bundle) RequiresCertificates() bool {
	return len(b.csv.Spec.WebhookDefinitions) > 0
}

// Render returns the objects to apply, sorted by group, kind, namespace and name. Errors are meant for users: an invalid namespace
// (bundle.NamespaceError), a configuration that the bundle does not support (bundle.ConfigError), or a cluster without a certificate
// provider (bundle.ErrNoCertificates). Callers may change the metadata of the objects. All other fields are shared with the bundle and with
// other renderings, and must be copied before they are changed.
func (b *Bundle) Render(options bundle.Options) ([]unstructured.Unstructured, error) {
	objects, err := b.render(options)
	if err != nil {
		return nil, fmt.Errorf("rendering bundle %q: %w", b.meta.Name, err)
	}
	return objects, nil
}

func (b *Bundle) render(opts bundle.Options) ([]unstructured.Unstructured, error) {
	if err := bundle.CheckInstallNamespace(opts.InstallNamespace); err != nil {
		return nil, err
	}
	config, err := ParseConfig(opts.Config)
	if err != nil {
		return nil, &bundle.ConfigError{Err: err}
	}
	targets, err := b.targetNamespaces(opts.InstallNamespace, config.WatchNamespace)
	if err != nil {
		return nil, &bundle.ConfigError{Err: err}
	}
	r := &rendering{Bundle: b, opts: opts, config: config, targets: targets, servers: webhookServers(b, opts.InstallNamespace)}
	if b.RequiresCertificates() {
		if err := checkProvider(opts.Certificates); err != nil {
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
	return sortObjects(objects)
}

// sortObjects sorts the objects in place, and returns them. It refuses duplicates, for example a Deployment that the install strategy and a
// manifest both define.
func sortObjects(objects []unstructured.Unstructured) ([]unstructured.Unstructured, error) {
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
			return nil, fmt.Errorf("%s %q is defined twice, by a manifest and by the ClusterServiceVersion; rename or remove one",
				k.id.kind.Kind, k.id.name)
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
