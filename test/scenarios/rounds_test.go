package scenarios

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/openshift/library-go/pkg/manifestclient"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// maxRounds is the maximum number of rounds until nothing changes.
const maxRounds = 20

// TestRoundsInstallAnOperator runs no manager. It runs apply-configuration on the objects of the cluster, sends the mutations to the cluster,
// and repeats this until there are none.
func TestRoundsInstallAnOperator(t *testing.T) {
	t.Parallel()
	const name, version = "memo", "1.0.0"
	RunFrom(t, Origin{Offer: sampleWriter([]samples.Operator{{Package: name, Version: version}}), NoManager: true}, func(s *Story) {
		ctx := s.Context()
		s.create(ctx, name, "")
		s.By("running rounds until nothing changes")
		rounds := 0
		for s.round(ctx) > 0 {
			rounds++
			s.Expect(rounds).To(BeNumerically("<", maxRounds), "the rounds do not end")
			s.Settle()
		}
		s.Logf("%d rounds", rounds)
		s.Expect(s.Installed(ctx, name, version)).To(Succeed(), "after %d rounds", rounds)

		s.By("starting the manager, which has nothing to do")
		before := s.Snapshot().Revision()
		s.StartManager()
		s.Settle()
		events, err := s.Events(before)
		s.must(err)
		for _, event := range events {
			s.Expect(event.Resource).NotTo(BeElementOf("deployments", "bundledeployments", "platformoperators"), "the manager changes what the rounds have written")
		}
	})
}

// round runs apply-configuration on the objects of the cluster, and sends the mutations to the cluster as the manager. It returns their
// number.
func (s *Story) round(ctx context.Context) int {
	s.Helper()
	input, output := filepath.Join(s.TempDir(), "input"), filepath.Join(s.TempDir(), "output")
	s.writeInput(ctx, input)
	s.must(applyconfiguration.Run(ctx, applyconfiguration.Options{
		InputDir: input, OutputDir: output, Controllers: []string{"*"}, Now: time.Now().Format(time.RFC3339), Timeout: time.Hour,
		KubernetesVersion: scenario.DefaultKubernetesVersion,
	}))
	mutations, err := manifestclient.ReadMutationDirectory(filepath.Join(output, "Configuration"))
	s.must(err)
	process := s.NewProcess(managerUser)
	defer process.Kill()
	client, err := dynamic.NewForConfig(process.ClientConfig())
	s.must(err)
	requests := mutations.AllRequests()
	for _, each := range requests {
		request := each.GetSerializedRequest()
		if err := send(ctx, client, request); err != nil { // a conflict ends in the next round
			s.Logf("%s: %v", request.StringID(), err)
		}
	}
	return len(requests)
}

// send sends a mutation to the cluster.
func send(ctx context.Context, client dynamic.Interface, request *manifestclient.SerializedRequest) error {
	target := client.Resource(request.ResourceType).Namespace(request.Namespace)
	content, err := yaml.YAMLToJSON(request.Body)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	switch request.Action {
	case manifestclient.ActionCreate, manifestclient.ActionUpdate, manifestclient.ActionUpdateStatus:
		if err := json.Unmarshal(content, object); err != nil {
			return err
		}
	}
	patch := metav1.PatchOptions{}
	if err := yaml.Unmarshal(request.Options, &patch); err != nil {
		return err
	}
	switch request.Action {
	case manifestclient.ActionCreate:
		_, err = target.Create(ctx, object, metav1.CreateOptions{FieldManager: request.FieldManager})
	case manifestclient.ActionUpdate:
		_, err = target.Update(ctx, object, metav1.UpdateOptions{FieldManager: request.FieldManager})
	case manifestclient.ActionUpdateStatus:
		_, err = target.UpdateStatus(ctx, object, metav1.UpdateOptions{FieldManager: request.FieldManager})
	case manifestclient.ActionDelete:
		options := metav1.DeleteOptions{}
		if err := json.Unmarshal(content, &options); err != nil {
			return err
		}
		err = target.Delete(ctx, request.Name, options)
	case manifestclient.ActionPatchStatus, manifestclient.ActionApplyStatus:
		_, err = target.Patch(ctx, request.Name, types.PatchType(request.PatchType), content, patch, "status")
	default:
		_, err = target.Patch(ctx, request.Name, types.PatchType(request.PatchType), content, patch)
	}
	return err
}

// writeInput writes the objects of the cluster, and the content of its catalog and registry, into an input directory.
func (s *Story) writeInput(ctx context.Context, dir string) {
	s.Helper()
	all, err := s.Objects(ctx)
	s.must(err)
	var objects []mustgather.Object
	for resource, found := range all {
		for i := range found {
			objects = append(objects, mustgather.Object{Unstructured: &found[i], Resource: resource.WithVersion(found[i].GroupVersionKind().Version)})
		}
	}
	s.must(mustgather.Write(dir, objects, mustgather.NotCollected{}))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.catalog.HTTPSBaseURL()+"/api/v1/all", nil)
	s.must(err)
	response, err := (&http.Client{Transport: s.contentTransport()}).Do(request)
	s.must(err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	s.must(err)
	for _, catalog := range []string{"ClusterCatalog", "CatalogSource/" + environment.CatalogNamespace} {
		folder := filepath.Join(dir, "content", "catalogs", catalog, environment.CatalogName)
		s.must(os.MkdirAll(folder, 0o755))
		s.must(os.WriteFile(filepath.Join(folder, "catalog.json"), content, 0o600))
	}
	s.writeImages(filepath.Join(dir, "content", "images"), content)
}

// writeImages writes the images of a catalog's bundles into an OCI layout.
func (s *Story) writeImages(dir string, catalog []byte) {
	s.Helper()
	images, err := layout.Write(dir, empty.Index)
	s.must(err)
	for decoder := json.NewDecoder(bytes.NewReader(catalog)); ; {
		var blob struct{ Schema, Image string }
		err := decoder.Decode(&blob)
		if errors.Is(err, io.EOF) {
			return
		}
		s.must(err)
		if blob.Schema != "olm.bundle" {
			continue
		}
		ref, err := name.NewDigest(blob.Image)
		s.must(err)
		image, err := remote.Image(ref, remote.WithTransport(s.contentTransport()))
		s.must(err)
		s.must(images.AppendImage(image))
	}
}

// contentTransport returns a transport that reaches the catalog and the registry, and trusts the catalog's certificate.
func (s *Story) contentTransport() *http.Transport {
	s.Helper()
	content, err := os.ReadFile(s.catalog.CAFile())
	s.must(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(content)
	return &http.Transport{DialContext: s.network.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
}
