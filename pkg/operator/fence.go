package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

const (
	fenceFieldManager = "platform-operators-leaderelection"
	// fenceWithin is the maximum time that fence tries to write one object. fenceRetry is the time between two attempts.
	fenceWithin = 3 * time.Second
	fenceRetry  = 100 * time.Millisecond
)

// fence writes the identity of this process into the two objects that hold the state of the upgrade gate, before any controller runs. Both
// objects get a new resourceVersion, so that a late status write from an ended process of this Pod conflicts. Otherwise that write would
// open or close the gate until this process observes it.
//
// A late write that arrives before the fence is harmless, because the controllers read its result when they start. A process that waited
// for the lease of another Pod needs no fence: the requests of that Pod's process have ended by then.
//
// fence logs a failure and returns. If the API server refuses the fence, it also refuses the controllers' writes, and the controllers
// report that.
func fence(ctx context.Context, input *Input, identity string) {
	for object, write := range map[string]func(context.Context, *Input, string) error{
		fmt.Sprintf("PlatformOperatorManager %q", operatorv1alpha1.PlatformOperatorManagerName): fenceManager,
		fmt.Sprintf("ClusterOperator %q", ClusterOperatorName):                                  fenceClusterOperator,
	} {
		var last error
		err := wait.PollUntilContextTimeout(ctx, fenceRetry, fenceWithin, true, func(ctx context.Context) (bool, error) {
			last = write(ctx, input, identity)
			return last == nil, nil
		})
		if err != nil {
			klog.Warningf("fencing off the process that ran in this pod before: writing its successor into the status of %s: %v", object, last)
		}
	}
}

// fenceManager writes the identity to status.holderIdentity of the PlatformOperatorManager. It does nothing if there is no
// PlatformOperatorManager.
func fenceManager(ctx context.Context, input *Input, identity string) error {
	client := input.Platform.OperatorV1alpha1().PlatformOperatorManagers()
	manager, err := client.Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil // a late status write to a recreated object conflicts as well, because its UID differs
	}
	if err != nil {
		return err
	}
	manager.Status.HolderIdentity = identity
	_, err = client.UpdateStatus(ctx, manager, metav1.UpdateOptions{FieldManager: fenceFieldManager})
	return err
}

// fenceClusterOperator writes the identity to status.extension of the ClusterOperator, the field in which its operator may store data. It
// does nothing if there is no ClusterOperator.
func fenceClusterOperator(ctx context.Context, input *Input, identity string) error {
	client := input.Config.ConfigV1().ClusterOperators()
	found, err := client.List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", ClusterOperatorName).String()})
	if apierrors.IsNotFound(err) {
		return nil // the cluster does not serve the kind
	}
	if err != nil || len(found.Items) == 0 {
		return err
	}
	extension, err := json.Marshal(map[string]string{"holderIdentity": identity})
	if err != nil {
		return fmt.Errorf("encoding the extension: %w", err)
	}
	operator := &found.Items[0]
	operator.Status.Extension.Raw = extension
	_, err = client.UpdateStatus(ctx, operator, metav1.UpdateOptions{FieldManager: fenceFieldManager})
	return err
}
