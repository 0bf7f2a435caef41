package manifestserver_test

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// TestDefectsOfManifestclient has a case for each defect of library-go's manifestclient.
func TestDefectsOfManifestclient(t *testing.T) {
	widget := `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: a, uid: u, resourceVersion: "9", generation: 3}, spec: {size: 1}, status: {phase: Old}}`
	for name, test := range map[string]func(*testing.T, *manifestserver.Server, *client){
		"AReadSeesEarlierWrites": func(t *testing.T, _ *manifestserver.Server, c *client) {
			c.object(patch("", widgets+"/w", merge, `{spec: {size: 2}}`))
			if got := c.get(widgets + "/w"); number(got, "spec", "size") != 2 {
				t.Errorf("got %v", got.Object)
			}
		},
		"TheAnswerToAWriteIsTheWholeObject": func(t *testing.T, _ *manifestserver.Server, c *client) {
			got := c.object(patch("", widgets+"/w/status?fieldManager=m", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, status: {conditions: [{type: A, status: "True"}]}}`))
			if got.GetUID() != "u" || got.GetResourceVersion() != "10" || got.GetGeneration() != 3 || number(got, "spec", "size") != 1 {
				t.Errorf("got %v", got.Object)
			}
		},
		"AStaleUpdateConflicts": func(t *testing.T, _ *manifestserver.Server, c *client) {
			update := put("", widgets+"/w", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, resourceVersion: "9"}, spec: {size: 2}}`)
			c.object(update)
			expect(t, c.send(update), http.StatusConflict, metav1.StatusReasonConflict)
		},
		"AChangeOfTheSpecIncreasesTheGeneration": func(t *testing.T, _ *manifestserver.Server, c *client) {
			if got := c.object(patch("", widgets+"/w", merge, `{spec: {size: 2}, metadata: {labels: {a: b}}}`)); got.GetGeneration() != 4 {
				t.Errorf("generation %d", got.GetGeneration())
			}
			if got := c.object(patch("", widgets+"/w", merge, `{metadata: {labels: {a: c}}}`)); got.GetGeneration() != 4 {
				t.Errorf("generation %d after a change of labels", got.GetGeneration())
			}
		},
		"AFinalizerDelaysADeletion": func(t *testing.T, _ *manifestserver.Server, c *client) {
			c.object(patch("", widgets+"/w", merge, `{metadata: {finalizers: [example.com/f]}}`))
			if got := c.object(remove("", widgets+"/w", "")); got.GetDeletionTimestamp() == nil || !got.GetDeletionTimestamp().Time.Equal(now) {
				t.Errorf("deletionTimestamp %v", got.GetDeletionTimestamp())
			}
			c.object(patch("", widgets+"/w", merge, `{metadata: {finalizers: null}}`))
			expect(t, c.send(get("", widgets+"/w")), http.StatusNotFound, metav1.StatusReasonNotFound)
		},
		"ServerSideApplyMergesAndConflicts": func(t *testing.T, _ *manifestserver.Server, c *client) {
			c.object(patch("", widgets+"/x?fieldManager=one", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, parts: [{name: p}]}}`))
			got := c.object(patch("", widgets+"/x?fieldManager=two", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, parts: [{name: q}]}}`))
			if parts, _, _ := unstructured.NestedSlice(got.Object, "spec", "parts"); len(parts) != 2 {
				t.Errorf("parts %v", parts)
			}
			expect(t, c.send(patch("", widgets+"/x?fieldManager=two", apply, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 2}}`)),
				http.StatusConflict, metav1.StatusReasonConflict)
		},
		"DefaultsAreSetAndUnknownFieldsPruned": func(t *testing.T, _ *manifestserver.Server, c *client) {
			got := c.object(post("", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 1, unknown: 1}}`))
			if color, _, _ := unstructured.NestedString(got.Object, "spec", "color"); color != "red" || number(got, "spec", "unknown") != 0 {
				t.Errorf("got %v", got.Object)
			}
		},
		"ANamespacedObjectCanBeDeleted": func(t *testing.T, _ *manifestserver.Server, c *client) {
			expect(t, c.send(remove("", widgets+"/w", "")), http.StatusOK, "")
		},
		"ANamespaceCanBeUpdatedAppliedAndDeleted": func(t *testing.T, _ *manifestserver.Server, c *client) {
			c.object(put("", "/api/v1/namespaces/a", `{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {x: "1"}}}`))
			c.object(patch("", "/api/v1/namespaces/a?fieldManager=m", apply, `{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {z: "1"}}}`))
			got := c.object(remove("", "/api/v1/namespaces/a", ""))
			if phase, _, _ := unstructured.NestedString(got.Object, "status", "phase"); phase != "Terminating" || got.GetLabels()["x"] == "" || got.GetLabels()["z"] == "" {
				t.Errorf("got %v", got.Object)
			}
		},
		"APostNeedsNoNamespaceInItsBody": func(t *testing.T, _ *manifestserver.Server, c *client) {
			if got := c.object(post("", "/api/v1/namespaces/a/secrets", `{apiVersion: v1, kind: Secret, metadata: {generateName: r-}}`)); got.GetNamespace() != "a" || len(got.GetName()) != 7 {
				t.Errorf("got %v", got.Object)
			}
		},
		"AnUnknownKindIsNotServedRatherThanAnError": func(t *testing.T, s *manifestserver.Server, c *client) {
			expect(t, c.send(get("", "/apis/none.example.com/v1/things")), http.StatusNotFound, "")
			if unanswered := s.Unanswered(); len(unanswered) != 1 || unanswered[0].Path != "/apis/none.example.com/v1/things" {
				t.Errorf("unanswered: %v", unanswered)
			}
		},
		"AMissingObjectIsNotAMissingResource": func(t *testing.T, s *manifestserver.Server, c *client) {
			expect(t, c.send(get("", widgets+"/none")), http.StatusNotFound, metav1.StatusReasonNotFound)
			if body := c.send(get("", "/apis/example.com/v1/namespaces/a/nothings/none")).Body; body != "404 page not found\n" {
				t.Errorf("a missing resource: %v", body)
			}
			if unanswered := s.Unanswered(); len(unanswered) != 1 {
				t.Errorf("unanswered: %v", unanswered)
			}
		},
		"ADryRunIsNoMutation": func(t *testing.T, s *manifestserver.Server, c *client) {
			got := c.object(patch("", widgets+"/w?dryRun=All", merge, `{spec: {size: 5}}`))
			if number(got, "spec", "size") != 5 || number(c.get(widgets+"/w"), "spec", "size") != 1 || len(mutations(t, s)) != 0 {
				t.Errorf("answered %v, stored %v, recorded %v", got.Object, c.get(widgets+"/w").Object, mutations(t, s))
			}
			expect(t, c.send(remove("", widgets+"/w?dryRun=All", "")), http.StatusOK, "")
			c.get(widgets + "/w")
		},
		"WhatExistsCannotBeCreated": func(t *testing.T, _ *manifestserver.Server, c *client) {
			expect(t, c.send(post("", widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 1}}`)), http.StatusConflict, metav1.StatusReasonAlreadyExists)
		},
		"ACollectionCanBeDeleted": func(t *testing.T, s *manifestserver.Server, c *client) {
			expect(t, c.send(remove("", widgets+"?labelSelector=!x", "")), http.StatusOK, "")
			if recorded := mutations(t, s); len(recorded) != 1 || recorded[0].Action != manifestserver.ActionDelete || recorded[0].Name != "w" || recorded[0].Object != nil {
				t.Errorf("recorded %+v", recorded)
			}
		},
		"AnAccessReviewIsGrantedAndCountedButNoMutation": func(t *testing.T, s *manifestserver.Server, c *client) {
			got := c.object(post("", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectAccessReview, spec: {resourceAttributes: {verb: get}}}`))
			if allowed, _, _ := unstructured.NestedBool(got.Object, "status", "allowed"); !allowed {
				t.Errorf("got %v", got.Object)
			}
			c.object(post("", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", `{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectRulesReview, spec: {namespace: a}}`))
			if want := (manifestserver.AccessReviews{SelfSubjectAccessReviews: 1, SelfSubjectRulesReviews: 1}); s.AccessReviews() != want || len(mutations(t, s)) != 0 {
				t.Errorf("counted %+v, recorded %v", s.AccessReviews(), mutations(t, s))
			}
		},
		"ReadsAreRecorded": func(t *testing.T, s *manifestserver.Server, c *client) {
			for range 2 {
				c.send(get("", widgets+"/w"))
				c.send(get("", "/apis/example.com/v1/widgets?labelSelector=a"))
			}
			reads := s.Reads()
			if len(reads) != 2 || reads[0].Name != "w" || reads[0].Verb != manifestserver.VerbGet || reads[1].LabelSelector != "a" || reads[1].Verb != manifestserver.VerbList {
				t.Errorf("reads %+v", reads)
			}
		},
		"AMissingVersionIsAnswered": func(t *testing.T, _ *manifestserver.Server, c *client) {
			if got := c.send(get("", "/version")); got.Code != http.StatusOK || got.Body.(map[string]any)["gitVersion"] != "v1.36.3" {
				t.Errorf("got %v", got)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, widget)
			test(t, server, newClient(t, server))
		})
	}
}

func number(object *unstructured.Unstructured, path ...string) int {
	value, _, _ := unstructured.NestedInt64(object.Object, path...) // 0 if it is missing
	return int(value)
}

func mutations(t *testing.T, server *manifestserver.Server) []manifestserver.Mutation {
	t.Helper()
	recorded, err := server.Mutations()
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

func expect(t *testing.T, got response, code int, reason metav1.StatusReason) {
	t.Helper()
	status, _ := got.Body.(map[string]any)
	if have, _ := status["reason"].(string); got.Code != code || have != string(reason) {
		t.Errorf("got %d %v, want %d %s", got.Code, got.Body, code, reason)
	}
	if reason == metav1.StatusReasonNotFound && status["details"].(map[string]any)["name"] == nil {
		t.Errorf("%v names no object", got.Body)
	}
}
