// Package health tells from an object's state whether it is ready, and from the operators' states what the ClusterOperator
// says. It is pure: what it judges, and the time, are passed in. It does not know how objects are read, what is done about an
// unhealthy one, or who writes conditions; the bundle engine calls Probe and Services, the controller of operator health calls
// Contribute, Damper and Aggregate.
package health
