package memorystore

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/url"
	"slices"
)

// A page is one answer of a list.
type page[T any] interface {
	items() []T
	next() string
	unreachable() []string
}

// list returns the items of all pages of k, a page a call. It ends with the error of the first page that cannot be
// had, or with an *UnreachableError when the pages together are not the whole. Items for which skip reports true
// are left out.
func list[T any, P any, PP interface {
	*P
	page[T]
}](ctx context.Context, c *Client, k *call, opts []ListOption, skip func(*T) bool) iter.Seq2[*T, error] {
	query := url.Values{}
	invalid := k.invalid
	for _, o := range opts {
		if o == nil {
			invalid = errors.Join(invalid, errors.New("an option is nil"))
			continue
		}
		invalid = errors.Join(invalid, o.query(query))
	}
	return func(yield func(*T, error) bool) {
		var silent []string
		for token, seen := "", map[string]bool{}; ; {
			one := *k
			one.invalid = invalid
			one.query = maps.Clone(query)
			if token != "" {
				one.query.Set("pageToken", token)
			}
			p := PP(new(P))
			if _, err := c.do(ctx, &one, p); err != nil {
				yield(nil, err)
				return
			}
			for _, item := range p.items() {
				if !skip(&item) && !yield(&item, nil) {
					return
				}
			}
			for _, where := range p.unreachable() {
				if id := lastPart(where); !slices.Contains(silent, id) {
					silent = append(silent, id)
				}
			}
			if token = p.next(); token == "" {
				break
			}
			if seen[token] {
				yield(nil, newError(k, Internal, "the service answered twice with the same page token"))
				return
			}
			seen[token] = true
		}
		if len(silent) > 0 {
			slices.Sort(silent)
			yield(nil, &UnreachableError{Locations: silent})
		}
	}
}

// keep is the skip of a list that leaves out nothing.
func keep[T any](*T) bool { return false }

// firstUnnamed says of what kind the first item without a name is. A list with such an item cannot be read.
func firstUnnamed[T any, PT interface {
	*T
	unnamed() string
}](items []T) string {
	for i := range items {
		if what := PT(&items[i]).unnamed(); what != "" {
			return what
		}
	}
	return ""
}
