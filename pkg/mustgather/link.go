package mustgather

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// maxLinks is the maximum number of symbolic links on one path, as in Linux.
const maxLinks = 40

var (
	errLinkLeaves  = errors.New("it is a symbolic link to a file outside of the directory; replace it by a copy of the file")
	errLinkLoops   = errors.New("it is a symbolic link that leads back to itself; delete it")
	errLinkUnknown = errors.New("it is a symbolic link, which cannot be followed here; replace it by a copy of the file")
	errLinkBroken  = errors.New("it is a symbolic link to a file that does not exist; delete it")
)

// follow returns the path without symbolic links to which a link leads, and its type. Links of links are followed as well, so that no
// chain of them leaves the root. fs.FS permits that Open leaves the root: os.DirFS does.
func follow(fsys fs.FS, link string) (target string, mode fs.FileMode, err error) {
	links, canFollow := fsys.(fs.ReadLinkFS)
	if !canFollow {
		return "", 0, errLinkUnknown
	}
	target, mode = ".", fs.ModeDir
	followed := 0
	for pending := strings.Split(link, "/"); len(pending) > 0; {
		segment := pending[0]
		pending = pending[1:]
		switch {
		case segment == "" || segment == ".":
			continue
		case segment == ".." && target == ".":
			return "", 0, errLinkLeaves
		case segment == "..":
			target = path.Dir(target)
			mode = fs.ModeDir
			continue
		}
		next := path.Join(target, segment)
		info, err := links.Lstat(next)
		if err != nil {
			return "", 0, errLinkBroken
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			target, mode = next, info.Mode().Type()
			continue
		}
		if followed++; followed > maxLinks {
			return "", 0, errLinkLoops
		}
		to, err := links.ReadLink(next)
		if err != nil {
			return "", 0, errLinkBroken
		}
		if path.IsAbs(to) {
			return "", 0, errLinkLeaves
		}
		pending = append(strings.Split(to, "/"), pending...)
	}
	return target, mode, nil
}
