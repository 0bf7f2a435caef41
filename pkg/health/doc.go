// Package health decides from an object's state whether it is ready, and from the operators' states which conditions the ClusterOperator
// has. It is pure: objects, states and the time are inputs. It does not read objects from the cluster, react to unhealthy objects, or write
// conditions. The apply engine calls Probe and Services; the operator health controller calls Contribute, RateLimiter and Aggregate.
package health
