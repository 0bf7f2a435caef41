package manifestserver_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// TestRandomRequestsAreAnsweredLikeByAnAPIServer sends random writes to k8s.io/apiserver and to a Server. It compares the codes, and all
// stored objects including their managedFields.
func TestRandomRequestsAreAnsweredLikeByAnAPIServer(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := etcd.New()
				defer store.Close()
				reference, err := apiserver.Start(t.Context(), apiserver.Options{Store: store, Version: "v1.36.3"})
				if err != nil {
					t.Fatal(err)
				}
				defer reference.Stop()
				want, got := newClient(t, roundTripper(t, reference)), newClient(t, emptyServer(t))
				prepare(t, want)
				compareRandomRequests(t, rand.New(rand.NewPCG(seed, 1)), want, got)
			})
		})
	}
}

const randomRequests = 150

func compareRandomRequests(t *testing.T, random *rand.Rand, want, got *client) {
	t.Helper()
	namespace := post("", "/api/v1/namespaces", `{apiVersion: v1, kind: Namespace, metadata: {name: a}}`)
	want.send(namespace)
	got.send(namespace)
	var sent []string
	for range randomRequests {
		r := randomRequest(random)
		sent = append(sent, fmt.Sprintf("%s %s %s %s", r.method, r.path, r.contentType, r.body))
		expected, actual := want.send(r), got.send(r)
		if expected.Code != actual.Code {
			t.Fatalf("%s\nwant %d %v\ngot %d %v", strings.Join(sent, "\n"), expected.Code, expected.Body, actual.Code, actual.Body)
		}
		if expected.Code < http.StatusBadRequest {
			if diff := cmp.Diff(scrubbed(expected), scrubbed(actual)); diff != "" {
				t.Fatalf("%s\n%s", strings.Join(sent, "\n"), diff)
			}
		}
		time.Sleep(time.Duration(random.IntN(3)) * time.Second)
	}
	for _, path := range []string{"/apis/example.com/v1/widgets", "/api/v1/namespaces/a/configmaps", "/apis/apps/v1/deployments"} {
		if diff := cmp.Diff(scrubbed(want.send(get("", path))), scrubbed(got.send(get("", path)))); diff != "" {
			t.Errorf("%s\n%s", path, diff)
		}
	}
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// some returns a part of the elements, joined by commas.
func some(random *rand.Rand, from ...string) string {
	var chosen []string
	for _, one := range from {
		if random.IntN(2) == 0 {
			chosen = append(chosen, one)
		}
	}
	return strings.Join(chosen, ", ")
}

func randomRequest(random *rand.Rand) request {
	name := pick(random, "one", "two", "three")
	var path, kind, content string
	switch random.IntN(4) {
	case 0:
		path, kind, content = configMaps, "apiVersion: v1, kind: ConfigMap", fmt.Sprintf("data: {%s}", some(random, "a: x", "b: x", "c: z", "d: x"))
	case 1:
		path, kind, content = deployments, "apiVersion: apps/v1, kind: Deployment", randomDeployment(random)
	default:
		path, kind, content = widgets, "apiVersion: example.com/v1, kind: Widget", randomWidget(random)
	}
	meta := fmt.Sprintf("metadata: {%s}", strings.Trim("name: "+name+", "+some(random, "labels: {"+some(random, "l: x", "m: x")+"}", "annotations: {n: x}", "finalizers: [example.com/"+pick(random, "f", "g")+"]"), ", "))
	whole := fmt.Sprintf("{%s, %s, %s}", kind, meta, content)
	object, manager := path+"/"+name, "?fieldManager="+pick(random, "m1", "m2", "m3")
	switch random.IntN(12) {
	case 0:
		return post("", path+manager, whole)
	case 1:
		if path == configMaps {
			return put("", object+manager, whole)
		}
		return patch("", object+manager, merge, fmt.Sprintf("{%s}", content))
	case 2:
		return remove("", object, fmt.Sprintf("{apiVersion: v1, kind: DeleteOptions, propagationPolicy: %s}", pick(random, "Background", "Background", "Foreground", "Orphan")))
	case 3:
		return patch("", object+manager, merge, fmt.Sprintf("{metadata: {finalizers: %s}}", pick(random, "null", "[]", "[example.com/f]")))
	case 4:
		return patch("", object+manager, jsonPatch, `[{op: add, path: /metadata/labels, value: {j: x}}]`)
	case 5:
		if path != configMaps {
			return patch("", object+"/status"+manager+"&force=true", apply, fmt.Sprintf("{%s, metadata: {name: %s}, %s}", kind, name, randomStatus(random)))
		}
		return patch("", object+manager, strategic, fmt.Sprintf("{%s}", content))
	case 6:
		return patch("", object+manager, pick(random, merge, merge, strategic), fmt.Sprintf("{%s, %s}", meta, content))
	case 7:
		if path != configMaps {
			return patch("", object+"/status"+manager, merge, fmt.Sprintf("{%s}", randomStatus(random)))
		}
	case 8:
		return remove("", path+"?labelSelector=l", "")
	}
	return patch("", object+manager+pick(random, "", "&force=true", "&force=true"), apply, whole)
}

func randomWidget(random *rand.Rand) string {
	return fmt.Sprintf("spec: {%s}", strings.Trim(some(random, "size: "+pick(random, "1", "2", "2", "0"), "color: "+pick(random, "red", "blue"), "mode: x",
		"port: "+pick(random, "80", "http"), "tags: ["+some(random, "t", "u", "v")+"]", "unknown: 1", "free: {"+some(random, "p: {q: 1}", "r: [1]")+"}",
		"parts: ["+some(random, "{name: p, count: 2}", "{name: q}", "{name: r, count: 3}")+"]"), ", "))
}

func randomStatus(random *rand.Rand) string {
	return fmt.Sprintf("status: {%s}", some(random, "conditions: [{type: A, status: \"True\"}]"))
}

func randomDeployment(random *rand.Rand) string {
	return fmt.Sprintf("spec: {selector: {matchLabels: {a: b}}, %s, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: %s, env: [%s]}]}}}",
		pick(random, "replicas: 1", "replicas: 2", "paused: true"), pick(random, "i", "j"), some(random, "{name: A, value: x}", "{name: B, value: x}"))
}
