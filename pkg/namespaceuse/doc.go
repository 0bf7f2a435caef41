// Package namespaceuse checks whether a namespace holds objects of other owners, so that the manager never deletes their data together with
// the namespace.
//
// One check covers all namespaces with pending questions. It lists the metadata of every kind that can hold users' data: custom resources,
// objects of aggregated APIs, and the built-in kinds in kinds.go. If custom resources or objects of an aggregated API cannot be listed, the
// namespace is considered in use, because an admin can delete a namespace later, but cannot restore its data. If the API server cannot list
// built-in kinds, the check fails, and the caller starts another one.
package namespaceuse
