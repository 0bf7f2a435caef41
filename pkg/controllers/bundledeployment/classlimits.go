package bundledeployment

import (
	"context"
	"errors"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/classlimits"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// class returns the ProvisionerClass as it was last read.
func (s *reconciliation) class() classlimits.Class {
	return classlimits.Class{Name: s.memory.className, Spec: s.memory.class}
}

// classRequest returns what the spec asks of the class, without the install namespace and the size of the bundle.
func (s *reconciliation) classRequest() classlimits.Request {
	spec := s.before.Spec
	asked := classlimits.Request{SourceType: spec.Source.Type, Image: s.source.opened.Image, ServiceAccount: spec.ServiceAccountName}
	if ownership.IsOfPlatformOperator(s.before) {
		asked.From = classlimits.PlatformOperator
	}
	return asked
}

// checkClass returns why the class does not allow a request; nil if it does. It reads the labels of the install namespace if the class has a limit
// for them and allows the rest of the request. The caller calls it only if something new is fetched or started.
func (s *reconciliation) checkClass(ctx context.Context, asked classlimits.Request) (*classlimits.Problem, error) {
	class := s.class()
	problem := classlimits.Check(class, asked)
	if problem != nil || !class.LimitsNamespaces() {
		return problem, nil
	}
	name := s.before.Spec.InstallNamespace
	found, err := s.c.checker.InstallNamespace(ctx, apply.Owner{Name: s.before.Name}, name)
	if err != nil {
		return nil, err
	}
	asked.Namespace = &classlimits.Namespace{Name: name, Exists: found.Exists, Labels: found.Labels}
	return classlimits.Check(class, asked), nil
}

// sizeProblem returns the limit of the class for the size of a bundle that a rendering exceeds; nil if there is none.
func (s *reconciliation) sizeProblem(rendered *unpack.Rendering) *classlimits.Problem {
	asked := s.classRequest()
	if !errors.As(rendered.Invalid, &asked.Size) {
		return nil
	}
	return classlimits.Check(s.class(), asked)
}

// checkRevisionClass checks whether the class allows a revision that is stored and not started. The class may have become stricter since the
// revision was rendered.
func (s *reconciliation) checkRevisionClass(ctx context.Context, of *revision.Revision) revision.Check {
	asked := s.classRequest()
	asked.Image = of.Resolved // the Bundle of the spec may not exist any more
	_ = errors.As(s.class().Sizes().CheckObjects(of.Objects), &asked.Size)
	problem, err := s.checkClass(ctx, asked)
	switch {
	case err != nil:
		return revision.Check{Unmet: revision.Class, Problem: problemOf(err)}
	case problem != nil:
		return revision.Check{Unmet: revision.Class, Problem: revision.Problem{Err: problem, Refused: true}}
	}
	return revision.Check{}
}
