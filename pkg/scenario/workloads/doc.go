// Package workloads replaces kube-controller-manager's workload controllers, the scheduler and the kubelet in an in-memory cluster. It
// creates the Pods of Deployments, StatefulSets, DaemonSets and Jobs, and sets the status of Pods to ready, not ready, waiting or
// succeeded. No container runs.
//
// The Pods of workloads run on Node "worker-0", which need not exist. Any other Pod runs only if its spec.nodeName is "worker-0". While the
// Node exists and is unschedulable, new Pods stay pending, except Pods of DaemonSets. Other Nodes have no effect.
//
// One worker handles one object at a time, and Pods have numbered names, so that all runs of a test have the same result. A rollout of a
// Deployment creates all new Pods immediately, and deletes the old Pods when the new ones are ready. StatefulSets and DaemonSets replace
// all Pods at once.
package workloads
