package manifestserver

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// review grants an access review.
func (s *Server) review(c *call) (*answer, error) {
	if c.method != http.MethodPost {
		return nil, c.methodNotAllowed()
	}
	object, err := decodeObject(c.body)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	object.SetGroupVersionKind(c.resource.GroupVersionKind())
	normal, _, err := c.resource.Normalize(object)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	switch c.resource.Kind {
	case "SelfSubjectRulesReview":
		s.recorded.reviews.SelfSubjectRulesReviews++
		every := []any{"*"}
		normal.Object["status"] = map[string]any{
			"resourceRules":    []any{map[string]any{"verbs": every, "apiGroups": every, "resources": every}},
			"nonResourceRules": []any{map[string]any{"verbs": every, "nonResourceURLs": every}},
			"incomplete":       false,
		}
		return jsonAnswer(http.StatusCreated, normal.Object), nil
	case "SelfSubjectAccessReview":
		s.recorded.reviews.SelfSubjectAccessReviews++
	default:
		s.recorded.reviews.SubjectAccessReviews++
	}
	normal.Object["status"] = map[string]any{"allowed": true}
	return jsonAnswer(http.StatusCreated, normal.Object), nil
}
