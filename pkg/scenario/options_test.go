package scenario_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/scenario"
)

func TestOptionsOfRequests(t *testing.T) {
	const path = "/api/v1/namespaces/a/secrets/b"
	given := &metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: ptr.To(types.UID("u")), ResourceVersion: ptr.To("1")},
		PropagationPolicy: ptr.To(metav1.DeletePropagationForeground), DryRun: []string{metav1.DryRunAll},
	}
	inProtobuf := encoded(t, given)
	for _, test := range []struct {
		method, path, contentType, accept string
		body                              []byte
		want                              string
		dryRun                            bool
	}{
		{"GET", path, "", "application/json", nil, "", false},
		{"GET", path + "?labelSelector=a&limit=1&fieldSelector=&timeout=1s", "", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", nil, "PartialObjectMetadata labelSelector limit", false},
		{"GET", path + "?watch=true&resourceVersion=0", "", "", nil, "resourceVersion=0", false},
		{"GET", path + "?watch=true&resourceVersion=7&allowWatchBookmarks=true", "", "", nil, "allowWatchBookmarks resourceVersion", false},
		{"POST", path + "?dryRun=All", "application/json", "", nil, "dryRun", true},
		{"PATCH", path + "?fieldManager=a&force=true", "application/apply-patch+yaml", "", nil, "force=true", false},
		{"PATCH", path, "application/strategic-merge-patch+json; charset=utf-8", "", nil, "strategic", false},
		{"DELETE", path, "application/json", "", []byte(`{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background","gracePeriodSeconds":0}`), "gracePeriodSeconds propagationPolicy=Background", false},
		{"DELETE", path, runtime.ContentTypeProtobuf, "", inProtobuf, "dryRun preconditions.resourceVersion preconditions.uid propagationPolicy=Foreground", true},
		{"DELETE", path, "application/json", "", []byte("no options"), "", false},
	} {
		r, err := http.NewRequest(test.method, test.path, bytes.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", test.contentType)
		r.Header.Set("Accept", test.accept)
		got := scenario.ParseRequest("user", r)
		if got.Options != test.want || got.DryRun != test.dryRun {
			t.Errorf("%s %s (%s): options %q, dry run %t; want %q, %t", test.method, test.path, test.contentType, got.Options, got.DryRun, test.want, test.dryRun)
		}
		if body, err := io.ReadAll(r.Body); err != nil || !bytes.Equal(body, test.body) {
			t.Errorf("%s %s: the body is read: %q is left, %v", test.method, test.path, body, err)
		}
	}
}

// encoded returns options encoded as protobuf, as typed clients send them.
func encoded(t *testing.T, options *metav1.DeleteOptions) []byte {
	t.Helper()
	info, found := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !found {
		t.Fatal("no serializer for protobuf")
	}
	var text strings.Builder
	if err := scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion).Encode(options, &text); err != nil {
		t.Fatal(err)
	}
	return []byte(text.String())
}
