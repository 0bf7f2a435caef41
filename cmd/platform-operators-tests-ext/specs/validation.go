package specs

import (
	"context"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

// validation returns specs about writes that the API server refuses. No webhook is involved, because the objects may be written before the
// manager runs.
func validation() []spec.Spec {
	return []spec.Spec{
		parallelSpec("the API server refuses changes of a PlatformOperator's package or namespace", immutable),
		parallelSpec("the API server refuses a second PlatformOperatorManager, and one with another managementState", oneManager),
	}
}

func immutable(ctx context.Context, t *spec.T) {
	const name = "ote-immutable"
	create(ctx, t, name, specFor("ote-immutable-package"))
	for patch, message := range map[string]string{ // checkNamespaceImmutable tests the namespace, which is immutable only after an installation
		`{"spec":{"package":{"name":"ote-another"}}}`: "package.name is immutable",
	} {
		_, err := t.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		t.Expect(apierrors.IsInvalid(err)).To(gomega.BeTrue(), "patch %s: %v", patch, err)
		t.Expect(err.Error()).To(gomega.ContainSubstring(message))
	}
}

func oneManager(ctx context.Context, t *spec.T) {
	managers := t.Platform.OperatorV1alpha1().PlatformOperatorManagers()
	dry := []string{metav1.DryRunAll}
	_, err := managers.Create(ctx, &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: "ote-second"}}, metav1.CreateOptions{DryRun: dry})
	t.Expect(apierrors.IsInvalid(err)).To(gomega.BeTrue(), "%v", err)
	_, err = managers.Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName, types.MergePatchType,
		[]byte(`{"spec":{"managementState":"Removed"}}`), metav1.PatchOptions{DryRun: dry})
	t.Expect(apierrors.IsInvalid(err)).To(gomega.BeTrue(), "%v", err)
}
