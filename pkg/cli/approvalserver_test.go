package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// approvalServer is an API server with which user ada approves. It patches PlatformOperators and BundleDeployments.
type approvalServer struct {
	*apiServer
	// denied are the permissions that she lacks, such as "approve byhand".
	denied []string
	// beforePatch and afterPatch change the objects around each patch; nil if nothing changes.
	beforePatch, afterPatch func(s *approvalServer, name string)
	// patches are the bodies of the patches that succeeded.
	patches []string
}

func newApprovalServer(t *testing.T) *approvalServer {
	t.Helper()
	s := &approvalServer{apiServer: newAPIServer(t, "approval.yaml")}
	s.handlers = map[string]http.HandlerFunc{
		"/apis/authentication.k8s.io/v1/selfsubjectreviews": func(w http.ResponseWriter, _ *http.Request) {
			write(w, map[string]any{
				"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview", "status": map[string]any{"userInfo": map[string]any{"username": "ada"}},
			})
		},
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": s.review,
		paths["PlatformOperator"]:                                s.patchOr("PlatformOperator"),
		paths["BundleDeployment"]:                                s.patchOr("BundleDeployment"),
	}
	return s
}

// review answers whether ada has a permission.
func (s *approvalServer) review(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var review authorizationv1.SelfSubjectAccessReview
	if err == nil {
		_, _, err = scheme.Codecs.UniversalDeserializer().Decode(body, nil, &review) // client-go sends it as protobuf
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	asked := review.Spec.ResourceAttributes
	write(w, map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"status": map[string]any{"allowed": !slices.Contains(s.denied, asked.Verb+" "+asked.Name)},
	})
}

// patchOr returns a handler that patches objects of a kind, and answers other requests as apiServer does.
func (s *approvalServer) patchOr(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, paths[kind]), "/")
		switch {
		case slices.Contains(s.forbidden, paths[kind]):
			writeStatus(w, http.StatusForbidden, metav1.StatusReasonForbidden, name+" is forbidden")
		case r.Method == http.MethodPatch:
			s.patch(w, r, kind, name)
		case name == "":
			writeList(w, r, kind, "", s.objects[paths[kind]])
		default:
			writeObject(w, s.objects[paths[kind]], name)
		}
	}
}

func (s *approvalServer) patch(w http.ResponseWriter, r *http.Request, kind, name string) {
	if s.beforePatch != nil {
		s.beforePatch(s, name)
	}
	body, err := io.ReadAll(r.Body)
	var patch map[string]any
	if err == nil {
		err = json.Unmarshal(body, &patch)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	object := s.object(kind, name)
	metadata := object["metadata"].(map[string]any)
	for field, wanted := range patch["metadata"].(map[string]any) {
		if metadata[field] != wanted {
			writeStatus(w, http.StatusConflict, metav1.StatusReasonConflict, fmt.Sprintf("%s is %v", field, metadata[field]))
			return
		}
	}
	s.patches = append(s.patches, string(body))
	merge(object["spec"].(map[string]any), patch["spec"].(map[string]any))
	s.touch(kind, name)
	if s.afterPatch != nil {
		s.afterPatch(s, name)
	}
	write(w, object)
}

// merge merges a patch into an object.
func merge(into, patch map[string]any) {
	for name, value := range patch {
		below, isMap := value.(map[string]any)
		existing, exists := into[name].(map[string]any)
		switch {
		case value == nil:
			delete(into, name)
		case isMap && exists:
			merge(existing, below)
		default:
			into[name] = value
		}
	}
}

// object returns an object, which the caller may change.
func (s *approvalServer) object(kind, name string) map[string]any {
	for _, object := range s.objects[paths[kind]] {
		if object["metadata"].(map[string]any)["name"] == name {
			return object
		}
	}
	return nil
}

// touch gives an object another resource version.
func (s *approvalServer) touch(kind, name string) {
	metadata := s.object(kind, name)["metadata"].(map[string]any)
	version, _ := strconv.Atoi(metadata["resourceVersion"].(string))
	metadata["resourceVersion"] = strconv.Itoa(version + 1000)
}

// planAgain has the manager plan the revision of a BundleDeployment again: the text of the plan changes, and therefore its digest.
func (s *approvalServer) planAgain(name, digest string, change func(text string) string) {
	plan := s.object("BundleDeployment", name)["status"].(map[string]any)["plan"].(map[string]any)
	before := plan["digest"].(string)
	plan["digest"] = digest
	s.touch("BundleDeployment", name)
	for i, part := range plan["configMaps"].([]any) {
		data := s.object("ConfigMap", part.(string))["data"].(map[string]any)
		data["digest"] = digest
		if i == 0 {
			data["plan"] = change(strings.Replace(data["plan"].(string), before, digest, 1))
		}
		s.touch("ConfigMap", part.(string))
	}
}

// awaitPlan has the manager report that the plan of the next version of quay waits for an approval, after a version was approved.
func (s *approvalServer) awaitPlan(name string) {
	if name != "quay" || s.object("BundleDeployment", name)["metadata"].(map[string]any)["generation"] != float64(7) {
		return
	}
	deployment, operator := s.object("BundleDeployment", name), s.object("PlatformOperator", name)
	merge(deployment, map[string]any{
		"metadata": map[string]any{"generation": float64(8)},
		"status": map[string]any{
			"observedGeneration": float64(8),
			"revisions": []any{
				map[string]any{"number": 1, "version": "1.0.0", "state": "Active"}, map[string]any{"number": 2, "version": "1.1.0", "state": "RollingOut"},
			},
			"plan": map[string]any{"revision": 2, "digest": "sha256:1100", "create": map[string]any{"total": 1}},
			"conditions": []any{
				map[string]any{"type": "Progressing", "status": "False", "reason": "AwaitingApproval", "message": "It waits for the approval of its plan."},
				map[string]any{"type": "Approved", "status": "False", "reason": "AwaitingApproval", "message": "It waits for the approval of its plan."},
			},
		},
	})
	merge(operator["status"].(map[string]any), map[string]any{"target": map[string]any{"version": "1.2.0", "path": []any{"1.1.0", "1.2.0"}}})
	s.touch("BundleDeployment", name)
	s.add(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "plan-quay-1", "resourceVersion": "304"},
		"data": map[string]any{"digest": "sha256:1100", "plan": "digest sha256:1100\napplied by the manager\ncreate Service quay/quay {\"kind\":\"Service\"}\n"},
	})
}
