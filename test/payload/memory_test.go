package payload

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/platform-operators/test/memorybudget"
)

// root is the root of the checkout.
const root = "../../"

// memoryRequest checks that the memory request and GOMEMLIMIT follow from the last measurement of the benchmarks.
func memoryRequest(p *payload) []string {
	figures, err := memorybudget.Read(root + memorybudget.File)
	if err != nil {
		return []string{err.Error()}
	}
	return allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (violations []string) {
		for _, container := range d.Spec.Template.Spec.Containers {
			for _, violation := range checkMemory(container, figures) {
				violations = append(violations, o.String()+": container "+container.Name+": "+violation)
			}
		}
		return violations
	})
}

func checkMemory(container corev1.Container, figures memorybudget.Figures) []string {
	i := slices.IndexFunc(container.Env, func(env corev1.EnvVar) bool { return env.Name == "GOMEMLIMIT" })
	if i < 0 {
		return []string{"no GOMEMLIMIT is set"}
	}
	limit, err := memorybudget.ParseGoLimit(container.Env[i].Value)
	if err != nil {
		return []string{err.Error()}
	}
	return figures.Check(container.Resources.Requests.Memory().Value(), limit)
}
