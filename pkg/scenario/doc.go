// Package scenario runs whole stories about an operator in one process, at virtual time: a Kubernetes cluster in memory, the operator's real
// controllers, and the changes that people and other components make.
//
// A Cluster is a real API server (k8s.io/apiserver and k8s.io/apiextensions-apiserver) on a storage in memory, with what
// kube-controller-manager does for every cluster. Clients reach it without a socket, so that all of it runs in a testing/synctest
// bubble: leases, back-off and resyncs follow virtual time, a day takes seconds, and Settle waits until the cluster is quiet.
//
//	func TestMain(m *testing.M) {
//		scenario.PrepareProcess()
//		os.Exit(m.Run())
//	}
//
//	func TestMyOperator(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) {
//			cluster, err := scenario.Start(t.Context(), scenario.Options{})
//			if err != nil {
//				t.Fatal(err)
//			}
//			defer cluster.Stop()
//			ctx, stop := context.WithCancel(t.Context())
//			var running sync.WaitGroup
//			defer running.Wait()
//			defer stop()
//			running.Go(func() { myoperator.Run(ctx, cluster.ClientConfig("system:serviceaccount:my-namespace:my-operator")) })
//			…
//		})
//	}
//
// Create the objects that many stories need once, take a Snapshot, and start each story from it.
//
// The package is a library for any operator. It knows none of this project's kinds, and imports none of its packages but those below it:
// etcd (the storage), apiserver, builtin (the built-in kinds), rbac, controllers (kube-controller-manager's), workloads (controllers of
// workloads, scheduler and kubelet), transport and network (HTTP and connections in memory), and queues. Package story runs stories that are
// written in YAML.
//
// Importing the package replaces the metrics of client-go's work queues in the whole process; see package queues.
package scenario
