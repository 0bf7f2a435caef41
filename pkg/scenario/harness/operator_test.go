package harness_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

const (
	operatorUser = "system:serviceaccount:default:operator"
	namespace    = "default"
	// interval is Operator.Interval of the operators of these tests.
	interval = 5 * time.Minute
)

// operator is an operator that does its work periodically.
type operator struct {
	// every is the period. The default is 30 seconds, which is long enough for the cluster to settle in between.
	every time.Duration
	// work is called in each period, with the number of the call, counted from 1. Nil does nothing.
	work func(ctx context.Context, client kubernetes.Interface, n int)
	// openErr, startErr, saveErr and stopErr are the errors that Operator.Open and the functions of the System return.
	openErr, startErr, saveErr, stopErr error

	// calls are the names of the functions that package harness called, in order.
	calls []string
	// from is the Checkpoint of the last call of Open.
	from harness.Checkpoint
}

// underTest returns the Operator for package harness.
func (o *operator) underTest() harness.Operator {
	return harness.Operator{Users: []string{operatorUser}, Interval: interval, Open: o.open}
}

func (o *operator) call(name string) { o.calls = append(o.calls, name) }

func (o *operator) open(ctx context.Context, from harness.Checkpoint) (*harness.System, error) {
	o.call("open")
	o.from = from
	if o.openErr != nil {
		return nil, o.openErr
	}
	cluster, err := scenario.Start(ctx, scenario.Options{From: from.Cluster})
	if err != nil {
		return nil, err
	}
	if from.Cluster == nil {
		if err := permit(ctx, cluster); err != nil {
			cluster.Stop()
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	runs := false
	return &harness.System{
		Runner: &story.Runner{Cluster: cluster, Verbs: story.Verbs()},
		StartOperator: func() error {
			o.call("start")
			client, err := kubernetes.NewForConfig(cluster.ClientConfig(operatorUser))
			if err = errors.Join(err, o.startErr); err != nil {
				return err
			}
			runs = true
			running.Go(func() { o.run(ctx, client) })
			return nil
		},
		IsOperatorRunning: func() bool { return runs },
		Save:              func() (any, error) { return slices.Clone(o.calls), o.saveErr },
		Stop: func() error {
			o.call("stop")
			cancel()
			running.Wait()
			cluster.Stop()
			return o.stopErr
		},
	}, nil
}

// permit gives the operator all permissions.
func permit(ctx context.Context, cluster *scenario.Cluster) error {
	client, err := kubernetes.NewForConfig(cluster.ClientConfig(scenario.AdminUser))
	if err != nil {
		return err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "operator"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: operatorUser}},
	}, metav1.CreateOptions{})
	return errors.Join(err, cluster.Settle())
}

func (o *operator) run(ctx context.Context, client kubernetes.Interface) {
	every := cmp.Or(o.every, 30*time.Second)
	for n := 1; o.work != nil; n++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
			o.work(ctx, client, n)
		}
	}
}

// started starts a System with an empty cluster and a running operator in a bubble, and calls test. prepare is called before the operator
// starts; it may be nil. If starting fails, test gets the error and no System.
func started(t *testing.T, o harness.Operator, prepare func(s system) error, test func(s system, startErr error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		started, err := o.StartSystemWith(t.Context(), harness.Checkpoint{IsOperatorRunning: true}, func(opened *harness.System) error {
			if prepare == nil {
				return nil
			}
			return prepare(newSystem(t, opened))
		})
		if started == nil {
			test(system{T: t}, err)
			return
		}
		defer func() {
			if err := started.Stop(); err != nil {
				t.Error(err)
			}
		}()
		test(newSystem(t, started), err)
	})
}

// system is a System with a client of scenario.AdminUser.
type system struct {
	*testing.T
	*harness.System
	admin kubernetes.Interface
}

func newSystem(t *testing.T, of *harness.System) system {
	t.Helper()
	s := system{T: t, System: of}
	var err error
	s.admin, err = kubernetes.NewForConfig(of.Runner.Cluster.ClientConfig(scenario.AdminUser))
	s.must(err)
	return s
}

func (s system) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// createConfigMap creates a ConfigMap with data "color" and returns it.
func (s system) createConfigMap(name, color string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	s.Helper()
	created, err := s.admin.CoreV1().ConfigMaps(namespace).Create(s.Context(), configMap(name, color, owners...), metav1.CreateOptions{})
	s.must(err)
	return created
}

func configMap(name, color string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}, Data: map[string]string{"color": color}}
}
