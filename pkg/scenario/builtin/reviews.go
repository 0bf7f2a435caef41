package builtin

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// Review describes a kind of review, such as SubjectAccessReview. The API server answers reviews and does not store them.
type Review struct {
	schema.GroupVersion
	// Resource and Singular are the plural and singular resource names, in lower case.
	Resource, Singular string
	// Namespaced is true if reviews are created in a namespace.
	Namespaced bool
	// Object is an empty value of the review's Go type.
	Object runtime.Object

	// invalid returns the validation errors of a review. It is optional.
	invalid func(object runtime.Object) field.ErrorList
	answer  func(ctx context.Context, reviewer Reviewer, who user.Info, object runtime.Object) error
}

// Reviewer answers access reviews: it authorizes requests and resolves rules.
type Reviewer interface {
	authorizer.Authorizer
	authorizer.RuleResolver
}

// Reviews returns all kinds of reviews that the API server serves.
func Reviews() []Review {
	rights, identity := authorizationv1.SchemeGroupVersion, authenticationv1.SchemeGroupVersion
	return []Review{
		{GroupVersion: rights, Resource: "subjectaccessreviews", Singular: "subjectaccessreview", Object: &authorizationv1.SubjectAccessReview{}, invalid: invalidSubject, answer: reviewSubject},
		{GroupVersion: rights, Resource: "localsubjectaccessreviews", Singular: "localsubjectaccessreview", Namespaced: true, Object: &authorizationv1.LocalSubjectAccessReview{}, invalid: invalidSubject, answer: reviewLocal},
		{GroupVersion: rights, Resource: "selfsubjectaccessreviews", Singular: "selfsubjectaccessreview", Object: &authorizationv1.SelfSubjectAccessReview{}, invalid: invalidSubject, answer: reviewSelf},
		{GroupVersion: rights, Resource: "selfsubjectrulesreviews", Singular: "selfsubjectrulesreview", Object: &authorizationv1.SelfSubjectRulesReview{}, answer: reviewRules},
		{GroupVersion: identity, Resource: "selfsubjectreviews", Singular: "selfsubjectreview", Object: &authenticationv1.SelfSubjectReview{}, answer: reviewIdentity},
	}
}

// Storage returns the storage that answers reviews of this kind.
func (r Review) Storage(reviewer Reviewer) rest.Storage {
	return reviewREST{review: r, reviewer: reviewer}
}

type reviewREST struct {
	review   Review
	reviewer Reviewer
}

var (
	_ rest.Creater              = reviewREST{}
	_ rest.Scoper               = reviewREST{}
	_ rest.SingularNameProvider = reviewREST{}
)

// New implements rest.Storage.
func (r reviewREST) New() runtime.Object { return r.review.Object.DeepCopyObject() }

// Destroy implements rest.Storage.
func (r reviewREST) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (r reviewREST) NamespaceScoped() bool { return r.review.Namespaced }

// GetSingularName implements rest.SingularNameProvider.
func (r reviewREST) GetSingularName() string { return r.review.Singular }

// Create implements rest.Creater.
func (r reviewREST) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	who, known := request.UserFrom(ctx)
	if !known {
		return nil, apierrors.NewBadRequest("no user present on request")
	}
	if validate != nil {
		if err := validate(ctx, object.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	if r.review.invalid != nil {
		if errs := r.review.invalid(object); len(errs) > 0 {
			return nil, apierrors.NewInvalid(schema.GroupKind{Group: r.review.Group}, "", errs) // kube-apiserver names no kind either
		}
	}
	if err := r.review.answer(ctx, r.reviewer, who, object); err != nil {
		return nil, err
	}
	return object, nil
}

// invalidSubject checks that an access review has either resource or non-resource attributes, and a subject unless the subject is the
// requester.
func invalidSubject(object runtime.Object) field.ErrorList {
	var spec authorizationv1.SubjectAccessReviewSpec
	switch review := object.(type) {
	case *authorizationv1.SelfSubjectAccessReview:
		spec = authorizationv1.SubjectAccessReviewSpec{
			User: "the requester", ResourceAttributes: review.Spec.ResourceAttributes, NonResourceAttributes: review.Spec.NonResourceAttributes,
		}
	case *authorizationv1.SubjectAccessReview:
		spec = review.Spec
	case *authorizationv1.LocalSubjectAccessReview:
		spec = review.Spec
	}
	at := field.NewPath("spec")
	var errs field.ErrorList
	if spec.ResourceAttributes != nil && spec.NonResourceAttributes != nil {
		errs = append(errs, field.Invalid(at.Child("nonResourceAttributes"), spec.NonResourceAttributes, "cannot be specified in combination with resourceAttributes"))
	}
	if spec.ResourceAttributes == nil && spec.NonResourceAttributes == nil {
		errs = append(errs, field.Invalid(at.Child("resourceAttributes"), spec.NonResourceAttributes, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	if spec.User == "" && len(spec.Groups) == 0 {
		errs = append(errs, field.Invalid(at.Child("user"), spec.User, "at least one of user or group must be specified"))
	}
	return errs
}

func reviewSelf(ctx context.Context, reviewer Reviewer, who user.Info, object runtime.Object) error {
	review := object.(*authorizationv1.SelfSubjectAccessReview)
	review.Status = decide(ctx, reviewer, who, review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return nil
}

func reviewSubject(ctx context.Context, reviewer Reviewer, _ user.Info, object runtime.Object) error {
	review := object.(*authorizationv1.SubjectAccessReview)
	review.Status = decide(ctx, reviewer, subject(review.Spec), review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return nil
}

func reviewLocal(ctx context.Context, reviewer Reviewer, _ user.Info, object runtime.Object) error {
	review := object.(*authorizationv1.LocalSubjectAccessReview)
	review.Status = decide(ctx, reviewer, subject(review.Spec), review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return nil
}

func subject(spec authorizationv1.SubjectAccessReviewSpec) user.Info {
	extra := map[string][]string{}
	for key, values := range spec.Extra {
		extra[key] = values
	}
	return &user.DefaultInfo{Name: spec.User, UID: spec.UID, Groups: spec.Groups, Extra: extra}
}

func decide(ctx context.Context, reviewer Reviewer, who user.Info, resource *authorizationv1.ResourceAttributes, path *authorizationv1.NonResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	attributes := authorizer.AttributesRecord{User: who}
	if resource != nil {
		attributes.ResourceRequest = true
		attributes.Verb, attributes.Namespace, attributes.Name = resource.Verb, resource.Namespace, resource.Name
		attributes.APIGroup, attributes.APIVersion = resource.Group, resource.Version
		attributes.Resource, attributes.Subresource = resource.Resource, resource.Subresource
	}
	if path != nil {
		attributes.Verb, attributes.Path = path.Verb, path.Path
	}
	decision, reason, err := reviewer.Authorize(ctx, attributes)
	status := authorizationv1.SubjectAccessReviewStatus{Allowed: decision == authorizer.DecisionAllow, Denied: decision == authorizer.DecisionDeny, Reason: reason}
	if err != nil {
		status.EvaluationError = err.Error()
	}
	return status
}

func reviewRules(ctx context.Context, reviewer Reviewer, who user.Info, object runtime.Object) error {
	review := object.(*authorizationv1.SelfSubjectRulesReview)
	if review.Spec.Namespace == "" {
		return apierrors.NewBadRequest("no namespace on request")
	}
	resources, paths, incomplete, err := reviewer.RulesFor(ctx, who, review.Spec.Namespace)
	review.Status = authorizationv1.SubjectRulesReviewStatus{
		ResourceRules: []authorizationv1.ResourceRule{}, NonResourceRules: []authorizationv1.NonResourceRule{}, Incomplete: incomplete,
	}
	for _, rule := range resources {
		review.Status.ResourceRules = append(review.Status.ResourceRules, authorizationv1.ResourceRule{
			Verbs: rule.GetVerbs(), APIGroups: rule.GetAPIGroups(), Resources: rule.GetResources(), ResourceNames: rule.GetResourceNames(),
		})
	}
	for _, rule := range paths {
		review.Status.NonResourceRules = append(review.Status.NonResourceRules, authorizationv1.NonResourceRule{
			Verbs: rule.GetVerbs(), NonResourceURLs: rule.GetNonResourceURLs(),
		})
	}
	if err != nil {
		review.Status.EvaluationError = err.Error()
	}
	return nil
}

func reviewIdentity(_ context.Context, _ Reviewer, who user.Info, object runtime.Object) error {
	review := object.(*authenticationv1.SelfSubjectReview)
	review.CreationTimestamp = metav1.Now()
	review.Status.UserInfo = authenticationv1.UserInfo{Username: who.GetName(), UID: who.GetUID(), Groups: who.GetGroups()}
	for key, values := range who.GetExtra() {
		if review.Status.UserInfo.Extra == nil {
			review.Status.UserInfo.Extra = map[string]authenticationv1.ExtraValue{}
		}
		review.Status.UserInfo.Extra[key] = values
	}
	return nil
}
