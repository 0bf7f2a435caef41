package localcatalog

import (
	"context"
	"path"

	"github.com/operator-framework/operator-registry/pkg/api"
	"github.com/operator-framework/operator-registry/pkg/cache"
	"github.com/operator-framework/operator-registry/pkg/registry"
	"github.com/operator-framework/operator-registry/pkg/server"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// serveGRPC starts operator-registry's server, as "opm serve" does.
func (s *Server) serveGRPC() error {
	s.grpcServer = grpc.NewServer(
		grpc.UnaryInterceptor(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if err := s.admitCall(info.FullMethod); err != nil {
				return nil, err
			}
			return next(ctx, request)
		}),
		grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			if err := s.admitCall(info.FullMethod); err != nil {
				return err
			}
			return next(srv, stream)
		}),
	)
	store := generationStore{&s.currentGeneration}
	api.RegisterRegistryServer(s.grpcServer, server.NewRegistryServer(store))
	if !s.options.WithoutCustomSchemas {
		api.RegisterExperimentalRegistryServer(s.grpcServer, server.NewExperimentalRegistryServer(store))
	}
	grpc_health_v1.RegisterHealthServer(s.grpcServer, server.NewHealthServer())
	s.serving.Go(func() { _ = s.grpcServer.Serve(s.grpcListener) })
	return nil
}

func (s *Server) admitCall(method string) error {
	s.requests.Add(1)
	s.requestCounter.add(path.Base(method))
	if s.down.Load() {
		return status.Error(codes.Unavailable, "the local catalog was made unavailable")
	}
	return nil
}

// generationStore is the store behind operator-registry's server. It reads the generation that is current when a call begins.
type generationStore struct{ currentGeneration *currentGeneration }

var _ registry.GRPCQuery = generationStore{}

// query calls ask with the cache of the current generation, and keeps the cache open until ask returns. If there is no generation, the
// error has code Unavailable.
func query[T any](l *currentGeneration, ask func(cache.Cache) (T, error)) (T, error) {
	current, release := l.acquire()
	defer release()
	if current.cache == nil {
		var none T
		return none, status.Error(codes.Unavailable, "the local catalog is closed")
	}
	return ask(current.cache)
}

func (s generationStore) ListPackages(ctx context.Context) ([]string, error) {
	return query(s.currentGeneration, func(c cache.Cache) ([]string, error) { return c.ListPackages(ctx) })
}

func (s generationStore) SendBundles(ctx context.Context, stream registry.BundleSender) error {
	_, err := query(s.currentGeneration, func(c cache.Cache) (any, error) { return nil, c.SendBundles(ctx, stream) })
	return err
}

func (s generationStore) ListBundles(ctx context.Context) ([]*api.Bundle, error) {
	return query(s.currentGeneration, func(c cache.Cache) ([]*api.Bundle, error) { return c.ListBundles(ctx) })
}

func (s generationStore) GetPackage(ctx context.Context, name string) (*registry.PackageManifest, error) {
	return query(s.currentGeneration, func(c cache.Cache) (*registry.PackageManifest, error) { return c.GetPackage(ctx, name) })
}

func (s generationStore) GetBundle(ctx context.Context, pkg, channel, name string) (*api.Bundle, error) {
	return query(s.currentGeneration, func(c cache.Cache) (*api.Bundle, error) { return c.GetBundle(ctx, pkg, channel, name) })
}

func (s generationStore) GetBundleForChannel(ctx context.Context, pkg, channel string) (*api.Bundle, error) {
	return query(s.currentGeneration, func(c cache.Cache) (*api.Bundle, error) { return c.GetBundleForChannel(ctx, pkg, channel) })
}

func (s generationStore) GetChannelEntriesThatReplace(ctx context.Context, name string) ([]*registry.ChannelEntry, error) {
	return query(s.currentGeneration, func(c cache.Cache) ([]*registry.ChannelEntry, error) {
		return c.GetChannelEntriesThatReplace(ctx, name)
	})
}

func (s generationStore) GetBundleThatReplaces(ctx context.Context, name, pkg, channel string) (*api.Bundle, error) {
	return query(s.currentGeneration, func(c cache.Cache) (*api.Bundle, error) { return c.GetBundleThatReplaces(ctx, name, pkg, channel) })
}

func (s generationStore) GetChannelEntriesThatProvide(ctx context.Context, group, version, kind string) ([]*registry.ChannelEntry, error) {
	return query(s.currentGeneration, func(c cache.Cache) ([]*registry.ChannelEntry, error) {
		return c.GetChannelEntriesThatProvide(ctx, group, version, kind)
	})
}

func (s generationStore) GetLatestChannelEntriesThatProvide(ctx context.Context, group, version, kind string) ([]*registry.ChannelEntry, error) {
	return query(s.currentGeneration, func(c cache.Cache) ([]*registry.ChannelEntry, error) {
		return c.GetLatestChannelEntriesThatProvide(ctx, group, version, kind)
	})
}

func (s generationStore) GetBundleThatProvides(ctx context.Context, group, version, kind string) (*api.Bundle, error) {
	return query(s.currentGeneration, func(c cache.Cache) (*api.Bundle, error) { return c.GetBundleThatProvides(ctx, group, version, kind) })
}

// ListPackageCustomSchemas sends the blobs of a package that have a custom schema. operator-registry's experimental server finds this
// method with a type assertion.
func (s generationStore) ListPackageCustomSchemas(ctx context.Context, schema, pkg string, send func(*structpb.Struct) error) error {
	_, err := query(s.currentGeneration, func(c cache.Cache) (any, error) { return nil, c.ListPackageCustomSchemas(ctx, schema, pkg, send) })
	return err
}
