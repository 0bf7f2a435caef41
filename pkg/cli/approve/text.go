package approve

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/shell"
)

// planText is the whole text of a plan.
type planText struct {
	lines string
	// permissions are the roles that the ServiceAccount lacks, as YAML; empty if it lacks none.
	permissions string
	// unread is the error if the user may not read the text; nil if the user may.
	unread error
}

// errStale means that the ConfigMaps do not have the plan that the status names, because the manager is writing another one.
var errStale = errors.New("the ConfigMaps do not have the plan that the status names")

// configMaps returns ConfigMaps of the manager's namespace. *cluster.Connection implements it.
type configMaps interface {
	ManagerConfigMap(ctx context.Context, name string) (*corev1.ConfigMap, error)
}

// readPlan reads the text of the plan that waits for an approval. It reads the objects again if the text is that of another plan.
func (o *Options) readPlan(ctx context.Context, s subject) (text planText, now subject, err error) {
	now = s
	err = o.invocation.Limit(ctx, func(ctx context.Context) error {
		isReported := false
		return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
			var err error
			text, err = readText(ctx, o.connection, now.deployment.Status.Plan)
			if !errors.Is(err, errStale) {
				return err == nil, err
			}
			if !isReported {
				fmt.Fprintf(o.invocation.Streams.ErrOut, "Waiting: the manager has to write the plan of BundleDeployment %s\n", now.deployment.Name)
				isReported = true
			}
			switch next, err := o.read(ctx); {
			case err == nil:
				now = next
			case isFinal(err):
				return false, err
			}
			return !now.awaitsPlan(), nil
		})
	})
	return text, now, err
}

// readText reads the text of a plan. It returns errStale if the text is not that of this plan as a whole.
func readText(ctx context.Context, from configMaps, of *corev1alpha2.Plan) (planText, error) {
	var lines, permissions strings.Builder
	first := ""
	for i, name := range of.ConfigMaps {
		part, err := from.ManagerConfigMap(ctx, name)
		switch {
		case cluster.IsForbidden(err):
			return planText{unread: err}, nil
		case apierrors.IsNotFound(err):
			return planText{}, errStale
		case err != nil:
			return planText{}, err
		case part.Data[corev1alpha2.PlanDigest] != of.Digest:
			return planText{}, errStale
		}
		if i == 0 {
			first = part.ResourceVersion
		}
		lines.WriteString(part.Data[corev1alpha2.PlanText])
		permissions.WriteString(part.Data[corev1alpha2.PlanPermissions])
	}
	if len(of.ConfigMaps) > 1 { // the manager writes the first part before the others, also of a new text with the same digest
		again, err := from.ManagerConfigMap(ctx, of.ConfigMaps[0])
		if err != nil || again.ResourceVersion != first {
			return planText{}, errors.Join(errStale, err)
		}
	}
	return planText{lines: lines.String(), permissions: permissions.String()}, nil
}

// readRemedy returns a sentence that says how an admin lets the user read the text of a plan, and no other ConfigMap.
func readRemedy(client, name string, of *corev1alpha2.Plan) string {
	role := shell.Quote("read-plan-" + name)
	var names strings.Builder
	for _, each := range of.ConfigMaps {
		names.WriteString(" --resource-name=" + shell.Quote(each))
	}
	return fmt.Sprintf("A Role with these names permits reading the plan and no other ConfigMap: %[1]s create role %[2]s -n %[3]s --verb=get --resource=configmaps%[4]s "+
		"&& %[1]s create rolebinding %[2]s -n %[3]s --role=%[2]s --user=USER", client, role, operators.ManagerNamespace, names.String())
}
