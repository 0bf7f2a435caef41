package grpc_test

import (
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/operator-registry/pkg/api"
	googlegrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
)

const rulesSchema = "io.openshift.operators.upgrades.v1alpha1"

type customStream = api.ExperimentalRegistry_ExperimentalListPackageCustomSchemasServer

// fakeRules is an experimental registry service whose responses a test defines. It records the requested schemas (asked) and whether the
// required header was sent (heard).
type fakeRules struct {
	api.UnimplementedExperimentalRegistryServer
	answer func(schema string, stream customStream) error

	lock  sync.Mutex
	asked []string
	heard bool
}

func (f *fakeRules) ExperimentalListPackageCustomSchemas(r *api.ExperimentalListPackageCustomSchemasRequest, stream customStream) error {
	sent, _ := metadata.FromIncomingContext(stream.Context())
	f.lock.Lock()
	f.asked = append(f.asked, r.GetPackageName()+" "+r.GetSchema())
	f.heard = slices.Equal(sent.Get("x-acknowledge-experimental"), []string{"true"})
	f.lock.Unlock()
	return f.answer(r.GetSchema(), stream)
}

// serveRules starts a server that has one bundle with these properties and the custom schemas of rules. It returns the address.
func serveRules(t *testing.T, rules *fakeRules, properties ...*api.Property) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bundle := apiBundle("")
	bundle.CsvJson = `{"kind":"ClusterServiceVersion","spec":{}}`
	bundle.Properties = append(bundle.Properties, properties...)
	server := googlegrpc.NewServer()
	api.RegisterRegistryServer(server, fake{list: send(bundle)})
	api.RegisterExperimentalRegistryServer(server, rules)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func blob(t *testing.T, fields map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(fields)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadRequestsUpgradeRulesOfCurrentAndNextVersions(t *testing.T) {
	rules := &fakeRules{answer: func(schema string, stream customStream) error {
		if schema != rulesSchema {
			return nil
		}
		return stream.Send(blob(t, map[string]any{"schema": schema, "package": "example", "steps": []any{}}))
	}}
	packages, _, err := grpc.Client{}.Read(t.Context(), serveRules(t, rules), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []catalog.UpgradeRules{{
		Schema: rulesSchema, Location: "blob " + rulesSchema, Raw: `{"package":"example","schema":"` + rulesSchema + `","steps":[]}`,
	}}
	if diff := cmp.Diff(want, packages[0].UpgradeRules); diff != "" || packages[0].Notes != nil {
		t.Errorf("notes %q, rules (-want +got):\n%s", packages[0].Notes, diff)
	}
	slices.Sort(rules.asked)
	const prefix = "example io.openshift.operators.upgrades."
	if diff := cmp.Diff([]string{prefix + "v1", prefix + "v1alpha1", prefix + "v1alpha2", prefix + "v1beta1"}, rules.asked); diff != "" || !rules.heard {
		t.Errorf("acknowledged: %t; asked for (-want +got):\n%s", rules.heard, diff)
	}
}

func TestReadFailsWithoutUpgradeRules(t *testing.T) {
	for sentence, test := range map[string]struct {
		answer func(string, customStream) error
		want   string
	}{
		"the call is refused": {func(string, customStream) error { return status.Error(codes.Internal, "no such disk") }, "no such disk"},
		"the stream breaks after the first blob": {func(schema string, stream customStream) error {
			return errors.Join(stream.Send(blob(t, map[string]any{"schema": schema})), status.Error(codes.Unavailable, "going away"))
		}, "going away"},
	} {
		t.Run(sentence, func(t *testing.T) {
			packages, _, err := grpc.Client{}.Read(t.Context(), serveRules(t, &fakeRules{answer: test.answer}), nil, nil)
			if err == nil || packages != nil {
				t.Fatalf("read %+v", packages)
			}
			for _, part := range []string{"reading catalog at", `of package "example"`, "io.openshift.operators.upgrades.", test.want} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
}

func TestReadOfAServerWithoutCustomSchemasAddsANote(t *testing.T) {
	unimplemented := func(string, customStream) error { return status.Error(codes.Unimplemented, "not here") }
	onBundle := &api.Property{Type: rulesSchema, Value: `{"semantics":"both"}`}
	unreadable := &api.Property{Type: rulesSchema, Value: `{"semantics":`}

	for sentence, test := range map[string]struct {
		properties []*api.Property
		fault      string
		rules      int
		notes      int
	}{
		"without rules on a bundle":            {nil, "", 0, 1},
		"with rules on a bundle":               {[]*api.Property{onBundle}, "", 1, 0},
		"with rules on a bundle that are none": {[]*api.Property{unreadable}, "unexpected EOF", 1, 0},
	} {
		t.Run(sentence, func(t *testing.T) {
			packages, _, err := grpc.Client{}.Read(t.Context(), serveRules(t, &fakeRules{answer: unimplemented}, test.properties...), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := packages[0]
			if len(p.UpgradeRules) != test.rules || len(p.Notes) != test.notes {
				t.Fatalf("%d rules, notes %q", len(p.UpgradeRules), p.Notes)
			}
			for _, rules := range p.UpgradeRules {
				if rules.Fault != test.fault {
					t.Errorf("fault %q, want %q", rules.Fault, test.fault)
				}
			}
		})
	}
}

func TestReadLimitsUpgradeRules(t *testing.T) {
	packages, _, err := grpc.Client{}.Read(t.Context(), serveRules(t, &fakeRules{answer: func(schema string, stream customStream) error {
		if schema != rulesSchema {
			return nil
		}
		for i := range 1000 {
			if err := stream.Send(blob(t, map[string]any{"schema": schema, "n": float64(i)})); err != nil {
				return err
			}
		}
		return nil
	}}), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := packages[0]; len(p.UpgradeRules) != 8 || len(p.Faults) != 1 {
		t.Errorf("%d rules, faults %q", len(p.UpgradeRules), p.Faults)
	}
}
