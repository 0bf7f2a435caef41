package object

import "github.com/openshift/platform-operators/pkg/plan"

// Planned returns the objects of the set for a plan, in the order of their phases.
func (s *Set) Planned() []plan.Object {
	var objects []plan.Object
	for _, phase := range s.phases {
		for _, desired := range phase.Objects {
			objects = append(objects, plan.Object{
				GroupVersionKind: desired.GVK, Namespace: desired.Key.Namespace, Name: desired.Key.Name, Digest: desired.Digest,
				IsKept:  desired.Key.IsCRD() || desired.IsInstallNamespace,
				Content: func() map[string]any { return desired.Object().Object },
			})
		}
	}
	return objects
}
