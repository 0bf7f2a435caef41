// Package leadership tells who of several managers leads, what each of them asked of the API server and when, and what became of
// the ClusterOperator's conditions meanwhile. Its own tests kill leaders and take the API server away for as long as the payload's
// timings allow, which takes minutes; test/integration does the same with timings of its own, in seconds.
//
// It does not start managers and does not judge: what must hold is in the tests.
package leadership
