package bundledeployment

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/bundle/plain"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/plan"
)

func (r reader) render(onto *fetched, files fs.FS, request fetchRequest) error {
	var err error
	switch request.format {
	case corev1alpha2.FormatRegistryV1:
		err = r.renderRegistry(onto, files, request)
	case corev1alpha2.FormatPlainV0:
		err = renderPlain(onto, files, request)
	default:
		err = fmt.Errorf("bundles of format %q are not read here", request.format)
	}
	if err != nil {
		return err
	}
	name := cmp.Or(onto.metadata.Name, onto.resolved) // a plain bundle may have no name
	if len(onto.objects) == 0 {
		return fmt.Errorf("bundle %q has no objects", name)
	}
	for i := range onto.objects {
		if apply.Reserved(&onto.objects[i]) {
			return fmt.Errorf("bundle %q has %s %q, a name that is kept for the manager's own; rename it", name, onto.objects[i].GetKind(), onto.objects[i].GetName())
		}
	}
	return plan.CheckDuplicates(onto.objects)
}

func (r reader) renderRegistry(onto *fetched, files fs.FS, request fetchRequest) error {
	loaded, err := registryv1.Load(files)
	if err != nil {
		return err
	}
	onto.metadata = loaded.Metadata()
	config, err := registryv1.ParseConfig([]byte(request.config))
	if err != nil {
		onto.badConfig = true
		return err
	}
	if loaded.NeedsCertificates() {
		if onto.certificates, err = r.certificates(); err != nil {
			return &unaskedError{err}
		}
	}
	onto.objects, err = loaded.Render(registryv1.Options{InstallNamespace: request.namespace, Config: config, Certificates: onto.certificates})
	var wrong *registryv1.ConfigError
	onto.badConfig = errors.As(err, &wrong)
	return err
}

func renderPlain(onto *fetched, files fs.FS, request fetchRequest) error {
	loaded, err := plain.Load(files)
	if err != nil {
		return err
	}
	onto.metadata = loaded.Metadata()
	if err := plain.CheckConfig([]byte(request.config)); err != nil {
		onto.badConfig = true
		return err
	}
	onto.objects, err = loaded.Render(request.namespace)
	return err
}
