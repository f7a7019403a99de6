package fakeserver

import (
	"encoding/base64"
	"hash/crc32"
	"strconv"
	"strings"
)

// maxPage is the service's default page size; what it caps a larger one to is not documented.
const maxPage = 1000

// pageSize reads how many items the answer may have.
func (c *call) pageSize(limit int) (int, *problem) {
	size := maxPage
	if s := c.query.get("pageSize"); s != "" {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return 0, textBadParameter.because("page_size", "TYPE_INT32", s)
		}
		if n < 0 {
			return 0, textPageSize.because()
		}
		if n > 0 {
			size = min(size, int(n))
		}
	}
	if limit > 0 {
		size = min(size, limit)
	}
	return size, nil
}

// A page token says after which key of which list the next page begins. It is opaque to clients.

func (c *call) token(after string) string {
	text := c.route.method + "\n" + c.name + "\n" + after
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(text))), 16) + "\n" + text))
}

// after is the key that the request's page begins after, "" for the first page. A token of another list is refused.
func (c *call) after() (string, *problem) {
	t := c.query.get("pageToken")
	if t == "" {
		return "", nil
	}
	b, err := base64.RawURLEncoding.DecodeString(t)
	if err != nil {
		return "", textPageToken.because()
	}
	i := strings.LastIndexByte(string(b), '\n')
	if i < 0 || c.token(string(b[i+1:])) != t {
		return "", textPageToken.because()
	}
	return string(b[i+1:]), nil
}

// paginate cuts one page out of items in the order of their keys; more is the key the next page begins after.
func paginate[T any](items []T, key func(T) string, after string, size int) (page []T, more string) {
	if after != "" {
		first := len(items)
		for i, it := range items {
			if key(it) > after {
				first = i
				break
			}
		}
		items = items[first:]
	}
	if len(items) <= size {
		return items, ""
	}
	return items[:size], key(items[size-1])
}
