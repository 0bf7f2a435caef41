package aggregatedapi

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// ImageStream is an OpenShift ImageStream with only its metadata, because the clients in the tests read nothing else.
type ImageStream struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// ImageStreamList is a list of ImageStreams.
type ImageStreamList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ImageStream `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (i *ImageStream) DeepCopyObject() runtime.Object {
	return &ImageStream{TypeMeta: i.TypeMeta, ObjectMeta: *i.DeepCopy()}
}

// DeepCopyObject implements runtime.Object.
func (l *ImageStreamList) DeepCopyObject() runtime.Object {
	copied := &ImageStreamList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy(), Items: slices.Clone(l.Items)}
	for i := range copied.Items {
		l.Items[i].DeepCopyInto(&copied.Items[i].ObjectMeta)
	}
	return copied
}

// storage implements list requests for the ImageStreams of a Server. It supports no other verb.
type storage struct {
	server *Server
	rest.TableConvertor
}

var (
	_ rest.Lister               = storage{}
	_ rest.Scoper               = storage{}
	_ rest.SingularNameProvider = storage{}
)

func (storage) New() runtime.Object     { return &ImageStream{} }
func (storage) NewList() runtime.Object { return &ImageStreamList{} }
func (storage) Destroy()                {}
func (storage) NamespaceScoped() bool   { return true }
func (storage) GetSingularName() string { return "imagestream" }

func (s storage) List(ctx context.Context, _ *internalversion.ListOptions) (runtime.Object, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.failure != nil {
		return nil, s.server.failure
	}
	list := &ImageStreamList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	namespace := request.NamespaceValue(ctx)
	for _, each := range s.server.streams {
		if namespace == "" || each.Namespace == namespace {
			list.Items = append(list.Items, each)
		}
	}
	return list, nil
}
