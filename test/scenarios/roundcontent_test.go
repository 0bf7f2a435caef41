package scenarios

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// roundContent is the content of catalogs and images for rounds. It fetches both from the servers of a story, as far as they can be reached.
type roundContent struct {
	// files has the folder "content" of an input directory.
	files fstest.MapFS
	// tags are the digests of images with a tag, by reference.
	tags map[string]v1.Hash
}

func newRoundContent() *roundContent {
	return &roundContent{files: fstest.MapFS{}, tags: map[string]v1.Hash{}}
}

// update replaces the catalogs, and what tags stand for. A catalog that cannot be read is left out.
func (c *roundContent) update(ctx context.Context, s *Story, objects map[schema.GroupResource][]*unstructured.Unstructured) error {
	maps.DeleteFunc(c.files, func(file string, _ *fstest.MapFile) bool { return strings.HasPrefix(file, "content/catalogs/") })
	client, err := s.contentClient()
	if err != nil {
		return err
	}
	fetched := map[string][]byte{}
	for resource, folder := range map[schema.GroupResource]string{
		{Group: "olm.operatorframework.io", Resource: "clustercatalogs"}: "ClusterCatalog",
		{Group: "operators.coreos.com", Resource: "catalogsources"}:      "CatalogSource",
	} {
		for _, catalog := range objects[resource] {
			base := s.catalogBase(catalog)
			if _, isFetched := fetched[base]; !isFetched && base != "" {
				fetched[base] = fetchCatalog(ctx, client, base)
			}
			if fetched[base] != nil {
				file := path.Join("content/catalogs", folder, catalog.GetNamespace(), catalog.GetName(), "catalog.json")
				c.files[file] = &fstest.MapFile{Data: fetched[base]}
			}
		}
	}
	for ref := range c.tags {
		if _, err := c.addImage(ctx, s, ref); err != nil {
			delete(c.tags, ref)
		}
	}
	return c.writeIndex()
}

// catalogBase returns the URL of the server with a catalog's content, or "" if there is none. A server of file-based catalogs has the
// content that it serves over gRPC over HTTPS, too.
func (s *Story) catalogBase(catalog *unstructured.Unstructured) string {
	if base, _, _ := unstructured.NestedString(catalog.Object, "status", "urls", "base"); base != "" {
		return base
	}
	address, _, _ := unstructured.NestedString(catalog.Object, "status", "connectionState", "address")
	for _, each := range append(slices.Clone(s.otherCatalogs), s.catalog) {
		if each.GRPCAddress() == address {
			return each.HTTPSBaseURL()
		}
	}
	return ""
}

// fetchCatalog returns the content of a catalog, or nil if it cannot be read.
func fetchCatalog(ctx context.Context, client *http.Client, base string) []byte {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/v1/all", nil)
	if err != nil {
		return nil
	}
	response, err := client.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil
	}
	return content
}

// addImages adds images that are missing. It reports whether it has added one; those that no registry has stay missing.
func (c *roundContent) addImages(ctx context.Context, s *Story, refs []string) (isAdded bool, err error) {
	for _, ref := range refs {
		isNew, err := c.addImage(ctx, s, ref)
		isAdded = isAdded || err == nil && isNew
	}
	return isAdded, c.writeIndex()
}

// addImage adds an image with the images of its index. It reports whether the image is new.
func (c *roundContent) addImage(ctx context.Context, s *Story, text string) (isNew bool, err error) {
	ref, err := name.ParseReference(text)
	if err != nil {
		return false, err
	}
	client, err := s.contentClient()
	if err != nil {
		return false, err
	}
	found, err := remote.Get(ref, remote.WithContext(ctx), remote.WithTransport(client.Transport))
	if err != nil {
		return false, err
	}
	before := len(c.files)
	if _, isDigest := ref.(name.Digest); !isDigest {
		isNew = c.tags[ref.Name()] != found.Digest
		c.tags[ref.Name()] = found.Digest
	}
	if found.MediaType.IsIndex() {
		index, err := found.ImageIndex()
		if err != nil {
			return false, err
		}
		err = c.addIndex(index)
		return isNew || len(c.files) > before, err
	}
	image, err := found.Image()
	if err != nil {
		return false, err
	}
	err = c.addManifest(image)
	return isNew || len(c.files) > before, err
}

// addIndex adds an index and its images.
func (c *roundContent) addIndex(index v1.ImageIndex) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, each := range manifest.Manifests {
		image, err := index.Image(each.Digest)
		if err != nil {
			return err
		}
		if err := c.addManifest(image); err != nil {
			return err
		}
	}
	content, err := index.RawManifest()
	if err != nil {
		return err
	}
	digest, err := index.Digest()
	c.addBlob(digest, content)
	return err
}

// addManifest adds the manifest, the configuration and the layers of an image.
func (c *roundContent) addManifest(image v1.Image) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return err
		}
		blob, err := layer.Compressed()
		if err != nil {
			return err
		}
		content, err := io.ReadAll(blob)
		_ = blob.Close() // it was read to its end, or err is set
		if err != nil {
			return err
		}
		c.addBlob(digest, content)
	}
	config, err := image.RawConfigFile()
	if err != nil {
		return err
	}
	configDigest, err := image.ConfigName()
	if err != nil {
		return err
	}
	c.addBlob(configDigest, config)
	content, err := image.RawManifest()
	if err != nil {
		return err
	}
	digest, err := image.Digest()
	c.addBlob(digest, content)
	return err
}

func (c *roundContent) addBlob(digest v1.Hash, content []byte) {
	c.files[path.Join("content/images/blobs", digest.Algorithm, digest.Hex)] = &fstest.MapFile{Data: content}
}

// writeIndex writes the index of the OCI layout, which has the images with a tag.
func (c *roundContent) writeIndex() error {
	index := v1.IndexManifest{SchemaVersion: 2}
	for _, ref := range slices.Sorted(maps.Keys(c.tags)) {
		index.Manifests = append(index.Manifests, v1.Descriptor{
			MediaType: "application/vnd.oci.image.manifest.v1+json", Digest: c.tags[ref], Annotations: map[string]string{"org.opencontainers.image.ref.name": ref},
		})
	}
	content, err := json.Marshal(index)
	c.files["content/images/index.json"] = &fstest.MapFile{Data: content}
	return err
}

// contentClient returns a client that reaches the catalogs and the registry, and trusts the catalogs' certificates.
func (s *Story) contentClient() (*http.Client, error) {
	roots := x509.NewCertPool()
	for _, each := range append(slices.Clone(s.otherCatalogs), s.catalog) {
		content, err := os.ReadFile(each.CAFile())
		if err != nil {
			return nil, fmt.Errorf("reading the catalog's authority: %w", err)
		}
		roots.AppendCertsFromPEM(content)
	}
	return &http.Client{Transport: &http.Transport{
		DialContext: s.network.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true,
	}}, nil
}
