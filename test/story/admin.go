package story

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	configv1 "github.com/openshift/api/config/v1"
	configclient "github.com/openshift/client-go/config/clientset/versioned"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// ClusterOperatorName is the name of the manager's ClusterOperator.
const ClusterOperatorName = "platform-operators-aggregated"

// Admin acts as the cluster's admin. It has clients with the admin's rights, and can publish operators in the catalog.
type Admin struct {
	// Scoped means that a ServiceAccount installs each operator, in a namespace that the admin creates for it. The cluster needs the manifests
	// of environment.Scoped.
	Scoped bool

	Environment *environment.Environment
	Kubernetes  kubernetes.Interface
	Dynamic     dynamic.Interface
	Config      configclient.Interface
	Platform    versioned.Interface
}

// NewAdmin builds the clients from the environment's admin kubeconfig.
func NewAdmin(env *environment.Environment) (*Admin, error) {
	admin := &Admin{Environment: env}
	var kubernetesErr, dynamicErr, configErr, platformErr error
	admin.Kubernetes, kubernetesErr = kubernetes.NewForConfig(env.Admin)
	admin.Dynamic, dynamicErr = dynamic.NewForConfig(env.Admin)
	admin.Config, configErr = configclient.NewForConfig(env.Admin)
	admin.Platform, platformErr = versioned.NewForConfig(env.Admin)
	return admin, errors.Join(kubernetesErr, dynamicErr, configErr, platformErr)
}

// Create creates a PlatformOperator for the package, with the same name. versions is the range of versions that may be installed; "" means
// any.
func (a *Admin) Create(ctx context.Context, pkg, versions string) error {
	operator := &platformv1alpha1.PlatformOperator{
		ObjectMeta: metav1.ObjectMeta{Name: pkg},
		Spec:       platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: pkg, Version: versions}},
	}
	if a.Scoped {
		if err := a.createDeployer(ctx, pkg); err != nil {
			return err
		}
		operator.Spec.Install = &platformv1alpha1.Install{Namespace: pkg, ServiceAccountName: deployer}
	}
	_, err := a.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, operator, metav1.CreateOptions{})
	return err
}

// approve approves the plan of a BundleDeployment under the admin's user name. The admission policies check both.
func (a *Admin) approve(ctx context.Context, name string) error {
	deployment, err := a.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if deployment.Status.Plan == nil {
		return fmt.Errorf("BundleDeployment %q has no plan", name)
	}
	self, err := a.Kubernetes.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	approval := map[string]any{"planDigest": deployment.Status.Plan.Digest, "approvedBy": self.Status.UserInfo.Username}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"approval": approval}})
	if err != nil {
		return err
	}
	_, err = a.Platform.CoreV1alpha2().BundleDeployments().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// Limit sets the range of versions that a PlatformOperator may install.
func (a *Admin) Limit(ctx context.Context, name, versions string) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"package": map[string]any{"version": versions}}})
	if err != nil {
		return err
	}
	_, err = a.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// Publish writes sample operators into the environment's samples folder and makes the catalogs serve them.
func (a *Admin) Publish(ctx context.Context, operators ...samples.Operator) error {
	return a.PublishPackages(ctx, nil, operators...)
}

// PublishPackages publishes sample operators as Publish does, together with the further content of their packages.
func (a *Admin) PublishPackages(ctx context.Context, packages []samples.Package, operators ...samples.Operator) error {
	if err := samples.WritePackages(a.Environment.SamplesDir, packages, operators...); err != nil {
		return err
	}
	return a.Environment.Publish(ctx)
}

// Operator gets a PlatformOperator.
func (a *Admin) Operator(ctx context.Context, name string) (*platformv1alpha1.PlatformOperator, error) {
	return a.Platform.PlatformV1alpha1().PlatformOperators().Get(ctx, name, metav1.GetOptions{})
}

// OperatorHas returns nil if a condition of a PlatformOperator has this status and reason for the current generation. Otherwise it returns
// an error that describes the difference.
func (a *Admin) OperatorHas(ctx context.Context, name, conditionType string, status metav1.ConditionStatus, reason string) error {
	operator, err := a.Operator(ctx, name)
	if err != nil {
		return err
	}
	condition := meta.FindStatusCondition(operator.Status.Conditions, conditionType)
	if condition == nil {
		return fmt.Errorf("PlatformOperator %q has no condition %s yet", name, conditionType)
	}
	if condition.Status != status || condition.Reason != reason || condition.ObservedGeneration != operator.Generation {
		return fmt.Errorf("PlatformOperator %q has %s=%s/%s (generation %d of %d), not %s/%s: %s", name, conditionType,
			condition.Status, condition.Reason, condition.ObservedGeneration, operator.Generation, status, reason, condition.Message)
	}
	return nil
}

// Installed returns nil if the version is installed and healthy, and the PlatformOperator is not Progressing. Otherwise it returns an error
// that says what is missing.
func (a *Admin) Installed(ctx context.Context, name, version string) error {
	operator, err := a.Operator(ctx, name)
	if err != nil {
		return err
	}
	if operator.Status.Installed == nil || operator.Status.Installed.Version != version {
		return errors.Join(fmt.Errorf("PlatformOperator %q does not have version %s installed", name, version),
			a.OperatorHas(ctx, name, platformv1alpha1.ConditionInstalled, metav1.ConditionTrue, platformv1alpha1.ReasonInstallSuccessful))
	}
	return errors.Join(
		a.OperatorHas(ctx, name, platformv1alpha1.ConditionInstalled, metav1.ConditionTrue, platformv1alpha1.ReasonInstallSuccessful),
		a.OperatorHas(ctx, name, platformv1alpha1.ConditionHealthy, metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected),
		a.OperatorHas(ctx, name, platformv1alpha1.ConditionProgressing, metav1.ConditionFalse, platformv1alpha1.ReasonAsExpected),
	)
}

// ClusterOperatorHas returns a condition of the ClusterOperator. If the condition has a different status, it returns the condition and an
// error. If there is no such condition, it returns nil and an error.
func (a *Admin) ClusterOperatorHas(ctx context.Context, conditionType configv1.ClusterStatusConditionType, status configv1.ConditionStatus) (*configv1.ClusterOperatorStatusCondition, error) {
	clusterOperator, err := a.Config.ConfigV1().ClusterOperators().Get(ctx, ClusterOperatorName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	for _, condition := range clusterOperator.Status.Conditions {
		if condition.Type == conditionType {
			if condition.Status != status {
				return &condition, fmt.Errorf("ClusterOperator %q has %s=%s, not %s: %s", ClusterOperatorName, conditionType, condition.Status, status, condition.Message)
			}
			return &condition, nil
		}
	}
	return nil, fmt.Errorf("ClusterOperator %q has no condition %s yet", ClusterOperatorName, conditionType)
}

// Explain prints the conditions of all PlatformOperators, of all BundleDeployments and of the ClusterOperator, and the path of the
// manager's log.
func (a *Admin) Explain(ctx context.Context, out io.Writer) error {
	operators, err := a.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, operator := range operators.Items {
		printConditions(out, "PlatformOperator "+operator.Name, operator.Status.Conditions)
	}
	deployments, err := a.Platform.CoreV1alpha2().BundleDeployments().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, deployment := range deployments.Items {
		printConditions(out, "BundleDeployment "+deployment.Name, deployment.Status.Conditions)
	}
	clusterOperator, err := a.Config.ConfigV1().ClusterOperators().Get(ctx, ClusterOperatorName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "ClusterOperator %s\n", clusterOperator.Name)
	for _, condition := range clusterOperator.Status.Conditions {
		fmt.Fprintf(out, "  %s=%s %s: %s\n", condition.Type, condition.Status, condition.Reason, condition.Message)
	}
	fmt.Fprintf(out, "The manager's log is %s.\n", a.Environment.Manager.LogFile)
	return nil
}

func printConditions(out io.Writer, what string, conditions []metav1.Condition) {
	fmt.Fprintln(out, what)
	for _, condition := range conditions {
		fmt.Fprintf(out, "  %s=%s %s: %s\n", condition.Type, condition.Status, condition.Reason, condition.Message)
	}
}
