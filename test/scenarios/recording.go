package scenarios

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	configclient "github.com/openshift/client-go/config/clientset/versioned"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// recording is a recorded cluster: its objects, and the content of its catalog.
type recording struct {
	// Time is the time of the recording.
	Time time.Time `json:"time"`
	// Ports are the ports of the catalog's servers. The recorded image references contain them, so a story must use the same ports.
	Ports catalogPorts `json:"ports"`

	// dir is the path of the recording's folder. isCapture is true if platform-operators capture has written it.
	dir       string
	isCapture bool
	// definitions are the recorded CustomResourceDefinitions. objects are all other recorded objects.
	definitions, objects []*unstructured.Unstructured
}

// catalogPorts are the ports that a local catalog listens on; 0 means any port.
type catalogPorts struct {
	GRPC     int `json:"grpc"`
	HTTPS    int `json:"https"`
	Registry int `json:"registry"`
}

// readRecording reads a folder with recording.yaml, objects.yaml and samples.
func readRecording(dir string) (*recording, error) {
	described, err := os.ReadFile(filepath.Join(dir, "recording.yaml"))
	if err != nil {
		return nil, err
	}
	r := &recording{dir: dir}
	if err := yaml.UnmarshalStrict(described, r); err != nil {
		return nil, fmt.Errorf("reading the recording in %q: %w", dir, err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "objects.yaml"))
	if err != nil {
		return nil, err
	}
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		object := &unstructured.Unstructured{}
		if err == nil {
			document, err = yaml.YAMLToJSON(document)
		}
		if err == nil {
			err = object.UnmarshalJSON(document)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the objects in %q: %w", dir, err)
		}
		if object.GetKind() == "CustomResourceDefinition" {
			r.definitions = append(r.definitions, object)
		} else {
			r.objects = append(r.objects, object)
		}
	}
}

// offer copies the recorded catalog and bundles to a folder of samples.
func (r *recording) offer(samplesDir string) error {
	return os.CopyFS(samplesDir, os.DirFS(filepath.Join(r.dir, "samples")))
}

// restore writes the recorded objects to the cluster. A recorded ClusterVersion and owner references to it get the UID of this cluster's
// ClusterVersion. It does nothing if r is nil.
func (s *Story) restore(ctx context.Context, r *recording) error {
	if r == nil {
		return nil
	}
	client, err := configclient.NewForConfig(s.StepClientConfig(scenario.AdminUser))
	if err != nil {
		return err
	}
	clusterVersion, err := client.ConfigV1().ClusterVersions().Get(ctx, "version", metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, each := range slices.Concat(r.definitions, r.objects) {
		if each.GetKind() == "ClusterVersion" {
			each.SetUID(clusterVersion.UID) // otherwise the garbage collector deletes the payload's objects
		}
		owners := each.GetOwnerReferences()
		for i := range owners {
			if owners[i].Kind == "ClusterVersion" {
				owners[i].UID = clusterVersion.UID
				each.SetOwnerReferences(owners)
			}
		}
	}
	if r.isCapture {
		return s.restoreCapture(r)
	}
	if err := s.Restore(r.definitions...); err != nil {
		return err
	}
	if err := s.Cluster.Settle(); err != nil { // waits until the kinds of the definitions are served
		return err
	}
	return s.Restore(r.objects...)
}
