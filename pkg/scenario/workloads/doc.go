// Package workloads runs the workloads of an API server in memory: in place of kube-controller-manager it turns Deployments, StatefulSets,
// DaemonSets and Jobs into Pods, and in place of a kubelet it starts Pods, or lets them fail. No container runs.
//
// A Node "worker-0" that is unschedulable takes no new Pods, except those of DaemonSets. Other Nodes mean nothing.
//
// One worker handles one object at a time, and names of Pods are numbered, so that a story takes the same course in each run. A rollout
// creates all new Pods at once, and deletes the old ones when the new ones are ready.
package workloads
