package operator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/catalogsource/proxy"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
	"github.com/openshift/platform-operators/pkg/source"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func TestHTTPInputSendsEveryRequestThroughTheClient(t *testing.T) {
	var requests []*http.Request
	client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		requests = append(requests, r)
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Content-Type", "application/json")
		fmt.Fprint(recorder, `{"major":"1","minor":"34","gitVersion":"v1.34.0"}`)
		return recorder.Result(), nil
	})}
	config := &rest.Config{Host: "nowhere.example.com", BearerToken: "secret", TLSClientConfig: rest.TLSClientConfig{CAData: []byte("an authority")}}
	input, err := HTTPInput(client, config, Settings{Options: *NewOptions(), Clock: clock.RealClock{}, Recorder: events.NewInMemoryRecorder("test", clock.RealClock{})})
	if err != nil {
		t.Fatal(err)
	}
	if input.KubernetesVersion != "v1.34.0" {
		t.Errorf("KubernetesVersion is %q", input.KubernetesVersion)
	}
	ctx := t.Context()
	for client, request := range map[string]func() error{
		"Kubernetes": func() error { return input.Kubernetes.CoreV1().RESTClient().Get().Do(ctx).Error() },
		"Config":     func() error { return input.Config.ConfigV1().RESTClient().Get().Do(ctx).Error() },
		"Platform":   func() error { return input.Platform.CoreV1alpha2().RESTClient().Get().Do(ctx).Error() },
		"Operator": func() error {
			_, _, _, err := input.Operator.GetOperatorStateWithQuorum(ctx)
			return err
		},
	} {
		before := len(requests)
		_ = request() // the response is no object; the test only checks the request
		if len(requests) == before {
			t.Errorf("client %s did not send its request through the HTTP client", client)
		}
	}
	for _, each := range requests {
		if each.URL.Scheme != "https" || each.URL.Host != "nowhere.example.com" || each.Header.Get("Authorization") != "" {
			t.Errorf("request to %s has authorization %q, although the HTTP client adds credentials", each.URL, each.Header.Get("Authorization"))
		}
	}
}

func TestHTTPInputReportsAnInvalidHost(t *testing.T) {
	_, err := HTTPInput(http.DefaultClient, &rest.Config{Host: "https://host\x7f"}, Settings{})
	if err == nil || !strings.Contains(err.Error(), "host of the API server") {
		t.Errorf("the error does not name the host: %v", err)
	}
}

func TestCatalogsAreDialedThroughTheirProxyOrLikeRegistries(t *testing.T) {
	client := &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Content-Type", "application/json")
		fmt.Fprint(recorder, `{"gitVersion":"v1.34.0"}`)
		return recorder.Result(), nil
	})}
	mine := errors.New("mine")
	for url, want := range map[string]string{"": "mine", "socks5://127.0.0.1:1": `connecting through proxy "127.0.0.1:1"`} {
		options := *NewOptions()
		options.CatalogProxy = proxy.Config{URL: url}
		input, err := HTTPInput(client, &rest.Config{Host: "nowhere.example.com"}, Settings{
			Options: options, Clock: clock.RealClock{}, Recorder: events.NewInMemoryRecorder("test", clock.RealClock{}),
		})
		if err != nil {
			t.Fatal(err)
		}
		input.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, mine }
		_, err = input.withDefaults().DialCatalogs(t.Context(), "tcp", "catalog.example.svc:50051")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("proxy %q: got %v, want %s", url, err, want)
		}
	}
}

// opener implements source.Opener. It opens no source and returns err.
type opener struct{ err error }

func (o opener) Open(corev1alpha2.BundleSource, source.Namespaces) (source.Opened, error) {
	return source.Opened{}, o.err
}

func TestBuildKeepsFieldsOfTheInputThatAreSet(t *testing.T) {
	mine := errors.New("mine")
	read := func(context.Context, catalogs.Request) (catalogs.Result, error) { return catalogs.Result{}, mine }
	recorder := &record.FakeRecorder{}
	input := (&Input{
		Register:          func(metrics.Registerable) error { return mine },
		RegisterCollector: func(metrics.StableCollector) error { return mine },
		ReadGRPC:          read, ReadHTTP: read, Images: opener{mine},
		NewEvents: func(context.Context, string) record.EventRecorder { return recorder },
	}).withDefaults()
	_, grpc := input.ReadGRPC(t.Context(), catalogs.Request{})
	_, http := input.ReadHTTP(t.Context(), catalogs.Request{})
	_, image := input.Images.Open(corev1alpha2.BundleSource{}, source.Namespaces{})
	for field, err := range map[string]error{
		"Register": input.Register(nil), "RegisterCollector": input.RegisterCollector(nil), "ReadGRPC": grpc, "ReadHTTP": http, "Images": image,
	} {
		if !errors.Is(err, mine) {
			t.Errorf("Build replaced %s: %v", field, err)
		}
	}
	if input.NewEvents(t.Context(), "some") != record.EventRecorder(recorder) {
		t.Error("Build replaced NewEvents")
	}
}
