package story

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Refusal says whether the API server may refuse the request of a step. IsRefused says which errors are refusals.
type Refusal string

const (
	// NeverRefused is the zero value: a refusal is an error of the story.
	NeverRefused Refusal = ""
	// MustBeRefused requires a refusal: a request that succeeds is an error of the story.
	MustBeRefused Refusal = "must"
	// MayBeRefused permits a refusal, because the result depends on what the step follows.
	MayBeRefused Refusal = "may"
)

// refusalCodes are the HTTP status codes of refusals.
var refusalCodes = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity}

// IsRefused reports whether err is an API server's answer that a request is invalid or forbidden: BadRequest (400), Forbidden (403) or
// Invalid (422). A request that fails for another reason, such as a conflict, is not refused.
func IsRefused(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && slices.Contains(refusalCodes, int(status.Status().Code))
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
	case r != NeverRefused && IsRefused(result):
		return result, nil
	case r == MustBeRefused && result == nil:
		return nil, errors.New("the API server accepted the request, but must refuse it")
	}
	return nil, result
}
