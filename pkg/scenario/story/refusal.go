package story

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Refusal says whether the API server may refuse the request of a step.
type Refusal string

const (
	// NeverRefused is the zero value: a refusal is an error of the story.
	NeverRefused Refusal = ""
	// MustBeRefused requires an error for which IsRefused is true: it is an error of the story if the request succeeds.
	MustBeRefused Refusal = "must"
	// MayBeRefused permits an error for which IsRefused is true. It also permits the codes 404 (NotFound), and 409 (AlreadyExists or
	// Conflict). It is for steps whose result depends on what happened before.
	MayBeRefused Refusal = "may"
)

// IsRefused reports whether err is an API server's answer that a request is invalid or forbidden: BadRequest (400), Forbidden (403) or
// Invalid (422). A request that fails for another reason, such as a conflict, is not refused.
func IsRefused(err error) bool {
	return hasCode(err, http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity)
}

func hasCode(err error, codes ...int) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && slices.Contains(codes, int(status.Status().Code))
}

// permits reports whether the result of a verb is a refusal that the step permits.
func (r Refusal) permits(result error) bool {
	switch r {
	case MustBeRefused:
		return IsRefused(result)
	case MayBeRefused:
		return IsRefused(result) || hasCode(result, http.StatusNotFound, http.StatusConflict)
	}
	return false
}

// validate returns an error for an unknown value.
func (r Refusal) validate() error {
	if r != NeverRefused && r != MustBeRefused && r != MayBeRefused {
		return fmt.Errorf("refused is %q; write must or may, or remove it", string(r))
	}
	return nil
}

// judge splits the result of a verb into a permitted refusal and an error.
func (r Refusal) judge(result error) (refusal, err error) {
	switch {
	case r.permits(result):
		return result, nil
	case r == MustBeRefused && result == nil:
		return nil, errors.New("the API server accepted the request, but must refuse it")
	}
	return nil, result
}
