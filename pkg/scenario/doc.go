// Package scenario provides an in-memory Kubernetes cluster for tests of operators. The cluster and the operator's real controllers run in
// one process, in virtual time.
//
// A Cluster is a real API server (k8s.io/apiserver and k8s.io/apiextensions-apiserver) with in-memory storage, and replacements for the
// controllers of kube-controller-manager that operators rely on. Clients reach it without a socket, so the whole cluster can run in a
// testing/synctest bubble. Leases, back-off and resyncs follow the bubble's virtual time: a day takes seconds. Settle waits until no
// component writes.
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
// If many tests need the same objects, create the objects once, take a Snapshot, and start a cluster from it in each test.
//
// The package works for any operator. It imports no packages of this project except those in its own folder:
//
//   - etcd is the storage.
//   - apiserver, builtin and rbac are the API server, its built-in kinds and its authorizer.
//   - controllers replaces kube-controller-manager's controllers for Namespaces, garbage collection and ClusterRole aggregation.
//   - workloads replaces the controllers of Deployments, Jobs and other workloads, the scheduler and the kubelet.
//   - transport sends HTTP requests to a handler, and network connects clients and servers, both without sockets.
//   - queues counts the items that client-go's work queues have handled.
//   - story runs scenarios that are written in YAML.
//   - harness runs an operator under test, plays steps of stories, and compares clusters. perturb and generate use it.
//   - perturb repeats the steps of a story with restarts, stale lists, delayed or merged events, and restored snapshots.
//   - generate makes stories from the schemas of an operator's kinds.
//
// Importing the package replaces the metrics provider of client-go's work queues for the whole process; see package queues.
package scenario
