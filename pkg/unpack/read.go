package unpack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/openshift/platform-operators/pkg/classlimits"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

// Content stores fetched content. *store.Content implements it.
type Content interface {
	// Use calls read with the files of a digest, and the origin that fetch returned for them. If they are not stored, Use calls fetch first. It
	// may call read twice.
	Use(ctx context.Context, digest string, fetch store.Fill, read func(files fs.FS, origin string) error) error
	// Origin returns the origin that fetch returned for a digest, and whether its files are stored.
	Origin(digest string) (origin string, isStored bool)
	// Evict removes the files of a digest if they have this origin.
	Evict(digest, origin string)
}

// pinnedSource is a source whose reference is pinned, and the limits for the size of its content. If checksAccess is true, content that is
// stored already is read only if the source's own credentials permit it.
type pinnedSource struct {
	from         source.Source
	pinned       source.Pinned
	sizes        classlimits.Sizes
	checksAccess bool
}

// errUnverified is returned if stored content must be verified before it is read.
var errUnverified = errors.New("the content is not verified")

// maxVerifications is the maximum number of verifications of one read. There is more than one only if the content is replaced meanwhile.
const maxVerifications = 3

// read calls use with the files of a pinned source, and the mirror that served them for this source; empty if none did. Before that, it
// verifies the content, also if it was stored for another object, to which another policy may apply. It returns a *classlimits.SizeError if the
// files have too many bytes: before it has written them, or, if they were stored for an object of another class, before use is called.
func read(ctx context.Context, content Content, of pinnedSource, use func(files fs.FS, mirror string) error) error {
	from := of.from.At(of.pinned.Reference)
	if of.checksAccess {
		if err := from.CheckAccess(ctx); err != nil {
			return err
		}
	}
	var verified, found *source.Origin
	fetch := func(ctx context.Context, to source.Target) (string, error) {
		to.CheckBytes = of.sizes.CheckBytes
		origin, err := from.Fetch(ctx, to)
		if err != nil {
			return "", err
		}
		verified = &origin
		return formatOrigin(of.pinned, origin), nil
	}
	line, isStored := content.Origin(of.pinned.Digest)
	if isStored {
		_, origin := parseOrigin(line)
		found = &origin
	}
	var unusable error
	for range maxVerifications {
		if found != nil {
			err := from.Verify(ctx, *found)
			switch refetch := (*source.RefetchError)(nil); {
			case errors.As(err, &refetch):
				// Somebody else's fetch has stored another image of the index. The own fetch may find one that satisfies the policy.
				content.Evict(of.pinned.Digest, line)
				verified, found, unusable = nil, nil, err
			case err != nil:
				return err
			default:
				verified = found
			}
		}
		err := content.Use(ctx, of.pinned.Digest, fetch, func(files fs.FS, current string) error {
			reference, origin := parseOrigin(current)
			if verified == nil || verified.ImageDigest != origin.ImageDigest {
				found, line = &origin, current
				return errUnverified
			}
			if err := of.checkSize(files); err != nil {
				return err
			}
			if reference != of.pinned.Reference {
				// The mirror served another reference with the same content. Do not disclose it for this one.
				origin.Mirror = ""
			}
			return use(files, origin.Mirror)
		})
		if !errors.Is(err, errUnverified) {
			return err
		}
	}
	if unusable != nil {
		return unusable
	}
	return fmt.Errorf("reading content %s: it was replaced while it was verified; the manager retries", of.pinned.Digest)
}

// checkSize returns a *classlimits.SizeError if files have too many bytes.
func (p pinnedSource) checkSize(files fs.FS) error {
	if p.sizes.Bytes <= 0 {
		return nil
	}
	bytes, err := size(files)
	if err != nil {
		return err
	}
	return p.sizes.CheckBytes(bytes)
}

// emptyField stands for an empty field of an origin.
const emptyField = "-"

// formatOrigin returns the origin of content for the store, in one line: the reference for which it was fetched, the mirror and the image.
func formatOrigin(pinned source.Pinned, origin source.Origin) string {
	return strings.Join([]string{cmp.Or(pinned.Reference, emptyField), cmp.Or(origin.Mirror, emptyField), cmp.Or(origin.ImageDigest, emptyField)}, " ")
}

// parseOrigin returns the reference and the origin in a line of formatOrigin; both are empty if the line has another form.
func parseOrigin(line string) (reference string, origin source.Origin) {
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return "", source.Origin{}
	}
	for i := range fields {
		if fields[i] == emptyField {
			fields[i] = ""
		}
	}
	return fields[0], source.Origin{Mirror: fields[1], ImageDigest: fields[2]}
}

// exceeded returns the limit of its size that a bundle exceeds; nil if err has another cause.
func exceeded(err error) *classlimits.SizeError {
	var found *classlimits.SizeError
	errors.As(err, &found)
	return found
}
