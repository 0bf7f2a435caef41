// Package furniture provides the data that makes a Kubernetes API server look like OpenShift: CRDs of other projects, two minimal CRDs of
// this project, and the objects that platform operators expect. It contains only data and pure functions. Package cluster applies the
// objects.
package furniture

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/test/localcluster/binaries"
)

const (
	openshiftAPI       = "github.com/openshift/api"
	olmAPI             = "github.com/operator-framework/api"
	operatorController = "github.com/operator-framework/operator-controller"
	kwok               = "sigs.k8s.io/kwok"

	configCRDs  = "config/v1/zz_generated.crd-manifests/"
	featureGate = "featuregate-TechPreviewNoUpgrade.json"
)

// Manifests returns the files that the cluster uses from other projects. If openshift/api has several variants of a CRD, Manifests returns
// the variant for TechPreviewNoUpgrade, the feature set that includes platform operators.
func Manifests() []binaries.Manifest {
	files := []struct{ module, path string }{
		{openshiftAPI, configCRDs + "0000_00_cluster-version-operator_01_clusteroperators.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_00_cluster-version-operator_01_clusterversions-TechPreviewNoUpgrade.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_03_config-operator_01_proxies.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_apiservers-TechPreviewNoUpgrade.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_clusterimagepolicies.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_featuregates.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_imagecontentpolicies.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_imagedigestmirrorsets.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_imagepolicies.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_images.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_imagetagmirrorsets.crd.yaml"},
		{openshiftAPI, configCRDs + "0000_10_config-operator_01_infrastructures-TechPreviewNoUpgrade.crd.yaml"},
		{openshiftAPI, "operator/v1alpha1/zz_generated.crd-manifests/0000_10_config-operator_01_imagecontentsourcepolicies.crd.yaml"},
		{olmAPI, "crds/operators.coreos.com_catalogsources.yaml"},
		{olmAPI, "crds/operators.coreos.com_clusterserviceversions.yaml"},
		{olmAPI, "crds/operators.coreos.com_subscriptions.yaml"},
		{operatorController, "config/base/catalogd/crd/bases/olm.operatorframework.io_clustercatalogs.yaml"},
		{operatorController, "config/base/operator-controller/crd/bases/olm.operatorframework.io_clusterextensions.yaml"},
	}
	manifests := make([]binaries.Manifest, 0, len(files)+8)
	for _, f := range files {
		manifests = append(manifests, binaries.Manifest{Module: f.module, Path: f.path, Name: "crd-" + path.Base(f.path)})
	}
	manifests = append(manifests, binaries.Manifest{
		Module: openshiftAPI,
		Path:   "payload-manifests/featuregates/featureGate-4-10-SelfManagedHA-TechPreviewNoUpgrade.yaml",
		Name:   featureGate,
	})
	for _, stage := range []string{
		"node/fast/node-initialize.yaml",
		"node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
		"pod/fast/pod-ready.yaml",
		"pod/fast/pod-complete.yaml",
		"pod/fast/pod-delete.yaml",
		"pod/chaos/pod-container-running-failed.yaml",
	} {
		manifests = append(manifests, binaries.Manifest{Module: kwok, Path: "kustomize/stage/" + stage, Name: "stage-" + path.Base(stage)})
	}
	return manifests
}

//go:embed crds/*.yaml objects/*.yaml stages/*.yaml
var own embed.FS

// Object is a Kubernetes object in decoded YAML or JSON.
type Object map[string]any

// CRDs returns all CustomResourceDefinitions of the cluster: those in manifestDir and those of this project. It removes the rules that
// Kubernetes' API server rejects.
func CRDs(manifestDir string) ([]Object, error) {
	var crds []Object
	names, err := filepath.Glob(filepath.Join(manifestDir, "crd-*"))
	if err != nil {
		return nil, fmt.Errorf("listing CRDs in %q: %w", manifestDir, err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading a CRD: %w", err)
		}
		objects, err := decode(name, content)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			withoutRefusedRules(map[string]any(object))
		}
		crds = append(crds, objects...)
	}
	entries, err := fs.Glob(own, "crds/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range entries {
		content, err := own.ReadFile(name)
		if err != nil {
			return nil, err
		}
		objects, err := decode(name, content)
		if err != nil {
			return nil, err
		}
		crds = append(crds, objects...)
	}
	return crds, nil
}

// Stages returns kwok's configuration for simulated nodes and pods, as YAML documents: kwok's own files in manifestDir and this project's
// file. It returns an error if manifestDir contains none.
func Stages(manifestDir string) ([]byte, error) {
	names, err := filepath.Glob(filepath.Join(manifestDir, "stage-*"))
	if err != nil {
		return nil, fmt.Errorf("listing stages in %q: %w", manifestDir, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("listing stages in %q: there is none; remove the directory to have it made again", manifestDir)
	}
	var stream bytes.Buffer
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading a stage: %w", err)
		}
		fmt.Fprintf(&stream, "---\n%s\n", content)
	}
	content, err := own.ReadFile("stages/never-ready.yaml")
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&stream, "---\n%s\n", content)
	return stream.Bytes(), nil
}

// Values are the values for the objects' templates.
type Values struct {
	Version   string // of OpenShift
	ClusterID string // a UUID
	Server    string // URL of the API server
	Workers   int    // simulated worker nodes, in addition to the control plane node
	Now       string // RFC 3339, for the version history of a new cluster
}

// Objects returns the objects of the cluster in an order in which they can be created.
func Objects(manifestDir string, values Values) ([]Object, error) {
	var objects []Object
	for _, name := range []string{"namespaces.yaml", "nodes.yaml", "config.yaml"} {
		content, err := own.ReadFile("objects/" + name)
		if err != nil {
			return nil, err
		}
		parsed, err := template.New(name).Funcs(template.FuncMap{"count": func(n int) []struct{} { return make([]struct{}, n) }}).Parse(string(content))
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", name, err)
		}
		var filled bytes.Buffer
		if err := parsed.Execute(&filled, values); err != nil {
			return nil, fmt.Errorf("filling %q: %w", name, err)
		}
		decoded, err := decode(name, filled.Bytes())
		if err != nil {
			return nil, err
		}
		objects = append(objects, decoded...)
	}
	gates, err := featureGates(filepath.Join(manifestDir, featureGate), values.Version)
	if err != nil {
		return nil, err
	}
	return append(objects, gates), nil
}

// featureGates reads the FeatureGate of openshift/api from the file, and changes the version of its only list of gates.
func featureGates(file, version string) (Object, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the feature gates: %w", err)
	}
	objects, err := decode(file, content)
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 {
		return nil, fmt.Errorf("reading the feature gates in %q: %d objects instead of one", file, len(objects))
	}
	status, _ := objects[0]["status"].(map[string]any)
	gates, _ := status["featureGates"].([]any)
	if len(gates) != 1 {
		return nil, fmt.Errorf("reading the feature gates in %q: %d lists in status.featureGates instead of one", file, len(gates))
	}
	list, ok := gates[0].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("reading the feature gates in %q: status.featureGates[0] is no object", file)
	}
	list["version"] = version
	return objects[0], nil
}

func decode(name string, content []byte) ([]Object, error) {
	var objects []Object
	for _, document := range strings.Split("\n"+string(content), "\n---") {
		var object Object
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			return nil, fmt.Errorf("reading %q: %w", name, err)
		}
		if len(object) > 0 {
			objects = append(objects, object)
		}
	}
	return objects, nil
}
