// Package workloads replaces kube-controller-manager's workload controllers, the scheduler and the kubelet in an in-memory cluster. It creates
// the Pods of Deployments, StatefulSets, DaemonSets and Jobs, and sets the status of Pods to ready, waiting or succeeded. No container runs.
//
// All Pods run on Node "worker-0", which need not exist. If it exists and is unschedulable, only new Pods of DaemonSets run. Other Nodes have
// no effect.
//
// One worker handles one object at a time, and Pods have numbered names, so that all runs of a test have the same result. A rollout creates
// all new Pods immediately, and deletes the old Pods when the new ones are ready.
package workloads
