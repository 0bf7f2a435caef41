package payload

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/platform-operators/test/memorybudget"
)

// root is the checkout's, from here.
const root = "../../"

// memory says whether the manager's request and the limit of Go's runtime follow from what the benchmarks measured last.
func memory(p *payload) []string {
	figures, err := memorybudget.Read(root + memorybudget.File)
	if err != nil {
		return []string{err.Error()}
	}
	return allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (faults []string) {
		for _, container := range d.Spec.Template.Spec.Containers {
			for _, fault := range memoryOf(container, figures) {
				faults = append(faults, o.String()+": container "+container.Name+": "+fault)
			}
		}
		return faults
	})
}

func memoryOf(container corev1.Container, figures memorybudget.Figures) []string {
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
