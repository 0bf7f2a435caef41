package classlimits

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Class is a ProvisionerClass.
type Class struct {
	Name string
	Spec corev1alpha2.ProvisionerClassSpec
}

// Request is what an object asks of its class. A zero field is not checked, unless its comment says otherwise.
type Request struct {
	// From is the kind of object, which determines the remedies.
	From Requester
	// SourceType is spec.source.type.
	SourceType corev1alpha2.SourceType
	// Image is the reference of the image. For a source of type bundle, it is the image of the Bundle.
	Image string
	// ServiceAccount is spec.serviceAccountName. It is ignored if From is Bundle, and otherwise checked even if it is empty.
	ServiceAccount string
	// Namespace is the install namespace; nil if it was not read.
	Namespace *Namespace
	// Size says which limit of its size the bundle exceeds; nil if none is known.
	Size *SizeError
}

// Requester is the kind of object that asks for content.
type Requester int

// Kinds of requesters.
const (
	// BundleDeployment is a BundleDeployment that no PlatformOperator owns.
	BundleDeployment Requester = iota
	// PlatformOperator is a BundleDeployment that a PlatformOperator owns. Its class, source and namespace follow from the PlatformOperator.
	PlatformOperator
	// Bundle is a Bundle, whose spec is immutable.
	Bundle
)

// Namespace is an install namespace. A namespace that does not exist has no labels.
type Namespace struct {
	Name   string
	Exists bool
	Labels map[string]string
}

// Check returns why a class does not allow a request; nil if it does. If the request exceeds several limits, Check returns the first of them in
// the order of the Limit constants.
func Check(class Class, request Request) *Problem {
	for _, check := range []func(Class, Request) *Problem{checkType, checkRegistry, checkAccount, checkNamespace, checkSize} {
		if problem := check(class, request); problem != nil {
			return problem
		}
	}
	return nil
}

// LimitsNamespaces reports whether a class has a limit for which the install namespace must be read.
func (c Class) LimitsNamespaces() bool { return c.Spec.AllowedNamespaces != nil }

func checkType(class Class, request Request) *Problem {
	allowed := class.Spec.AllowedSources
	if request.SourceType == "" || allowed == nil || len(allowed.Types) == 0 || slices.Contains(allowed.Types, request.SourceType) {
		return nil
	}
	var types []string
	for _, each := range allowed.Types {
		types = append(types, string(each))
	}
	return class.problem(request, SourceType, string(request.SourceType),
		fmt.Sprintf("does not allow source type %q: its allowedSources.types has %s", request.SourceType, listed(types)))
}

func checkRegistry(class Class, request Request) *Problem {
	allowed := class.Spec.AllowedSources
	if request.Image == "" || allowed == nil || len(allowed.Image.Registries) == 0 {
		return nil
	}
	repository, ok := repositoryOf(request.Image)
	if !ok { // nothing is fetched from an invalid reference, and the error about it has a better remedy
		return nil
	}
	if slices.ContainsFunc(allowed.Image.Registries, func(entry string) bool { return isWithin(repository, entry) }) {
		return nil
	}
	return class.problem(request, Registry, repository,
		fmt.Sprintf("does not allow images of repository %q: its allowedSources.image.registries has %s", repository, listed(allowed.Image.Registries)))
}

func checkAccount(class Class, request Request) *Problem {
	if request.From == Bundle || class.Spec.ServiceAccount != corev1alpha2.ServiceAccountRequired || request.ServiceAccount != "" {
		return nil
	}
	return class.problem(request, ServiceAccount, "", "requires a ServiceAccount: its serviceAccount is Required, and spec.serviceAccountName is not set")
}

func checkNamespace(class Class, request Request) *Problem {
	if request.Namespace == nil || class.Spec.AllowedNamespaces == nil {
		return nil
	}
	name := request.Namespace.Name
	selector, err := metav1.LabelSelectorAsSelector(class.Spec.AllowedNamespaces)
	if err != nil {
		problem := class.problem(request, InstallNamespace, name, fmt.Sprintf("allows no install namespace: its allowedNamespaces is not a valid selector: %v", err))
		problem.Remedy = "ask a cluster admin to correct the selector of the class"
		return problem
	}
	if selector.Matches(labels.Set(request.Namespace.Labels)) {
		return nil
	}
	what := fmt.Sprintf("does not allow install namespace %q: its allowedNamespaces requires labels that match %q", name, selector)
	if !request.Namespace.Exists {
		what += ", and the namespace does not exist"
	}
	return class.problem(request, InstallNamespace, name, what)
}

func checkSize(class Class, request Request) *Problem {
	size := request.Size
	switch {
	case size == nil:
		return nil
	case size.Limit == Objects:
		return class.problem(request, Objects, fmt.Sprint(size.Objects), fmt.Sprintf("does not allow the bundle: %v, and its limits.objects is %d", size, size.Max))
	}
	return class.problem(request, BundleBytes, fmt.Sprintf("more than %d", size.Max), fmt.Sprintf("does not allow the bundle: %v, and its limits.bundleBytes is %d", size, size.Max))
}
