package memorystore

import (
	"context"
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
	return func(yield func(*T, error) bool) {
		query := url.Values{}
		for _, o := range opts {
			if o == nil {
				continue
			}
			if err := o.query(query); err != nil && k.invalid == nil {
				k.invalid = err
			}
		}
		var silent []string
		for {
			one := *k
			one.query = maps.Clone(query)
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
			token := p.next()
			if token == "" {
				break
			}
			if token == query.Get("pageToken") {
				yield(nil, newError(k, Internal, "the service answered twice with the same page token"))
				return
			}
			query.Set("pageToken", token)
		}
		if len(silent) > 0 {
			slices.Sort(silent)
			yield(nil, &UnreachableError{Locations: silent})
		}
	}
}

// keep is the skip of a list that leaves out nothing.
func keep[T any](*T) bool { return false }
