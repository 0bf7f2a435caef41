package scenario

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/scenario/controllers"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

// components simulate kube-controller-manager, the scheduler and the kubelet.
type components struct {
	mu        sync.Mutex
	workloads *workloads.Runner
	// behavior is the behavior of Pods, or nil for the default.
	behavior func(*corev1.Pod) workloads.Behavior
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// startComponents starts the components. Their caches begin empty, as after a restart.
func (c *Cluster) startComponents() error {
	c.components.mu.Lock()
	defer c.components.mu.Unlock()
	runner, err := workloads.New(c.componentConfig)
	if err != nil {
		return err
	}
	if behavior := c.components.behavior; behavior != nil {
		if err := runner.SetBehavior(behavior); err != nil {
			return err
		}
	}
	running, stop := context.WithCancel(c.lifetime)
	c.components.workloads, c.components.stop = runner, stop
	c.components.running.Go(func() { runner.Run(running) })
	c.components.running.Go(func() {
		if err := controllers.Run(running, c.store, c.componentConfig); err != nil && !errors.Is(err, context.Canceled) {
			klog.Errorf("the cluster's controllers have ended: %v", err) // Settle returns this error
			c.failed.Store(&err)
		}
	})
	return nil
}

// stopComponents stops the components, and waits until their goroutines have ended.
func (c *Cluster) stopComponents() {
	c.components.mu.Lock()
	stop := c.components.stop
	c.components.mu.Unlock()
	if stop != nil {
		stop()
	}
	c.components.running.Wait()
}

// PodBehavior returns the function that SetPodBehavior set last, or the default.
func (c *Cluster) PodBehavior() func(*corev1.Pod) workloads.Behavior {
	c.components.mu.Lock()
	defer c.components.mu.Unlock()
	return c.components.workloads.Behavior()
}

// SetPodBehavior sets the function that returns the behavior of each Pod, including Pods that already run. The default is
// workloads.Ready for all Pods. The cluster never calls the function concurrently.
func (c *Cluster) SetPodBehavior(behavior func(*corev1.Pod) workloads.Behavior) error {
	c.components.mu.Lock()
	defer c.components.mu.Unlock()
	if err := c.components.workloads.SetBehavior(behavior); err != nil {
		return fmt.Errorf("setting the behavior of Pods: %w", err)
	}
	c.components.behavior = behavior
	return nil
}
