package fakeserver

import (
	"encoding/binary"
	"net/netip"
)

// A network hands out the address blocks of one authorized network: each /29 (or /28, with read replicas) once.
type network struct {
	used   []netip.Prefix
	cursor uint32
}

// The pool that blocks are taken from when a request names none. The service picks unused blocks of 10.0.0.0/8.
const (
	poolStart = 10 << 24
	poolEnd   = 11 << 24
)

// free tells whether a block overlaps none that is in use.
func (n *network) free(p netip.Prefix) bool {
	for _, u := range n.used {
		if u.Overlaps(p) {
			return false
		}
	}
	return true
}

func (n *network) take(p netip.Prefix) { n.used = append(n.used, p) }

// allocate takes the next free block with so many bits of prefix; not ok when the pool is exhausted.
func (n *network) allocate(bits int) (netip.Prefix, bool) {
	step := uint32(1) << (32 - bits)
	if n.cursor == 0 {
		n.cursor = poolStart
	}
	for range 1 << 16 {
		base := (n.cursor + step - 1) &^ (step - 1)
		if base+step > poolEnd {
			base = poolStart
		}
		n.cursor = base + step
		p := netip.PrefixFrom(address(base), bits)
		if n.free(p) {
			n.take(p)
			return p, true
		}
	}
	return netip.Prefix{}, false
}

func (n *network) release(p netip.Prefix) {
	for i, u := range n.used {
		if u == p {
			n.used = append(n.used[:i:i], n.used[i+1:]...)
			return
		}
	}
}

func address(v uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], v)
	return netip.AddrFrom4(b)
}

// nth is the n-th address after a block's first.
func nth(p netip.Prefix, n uint32) string {
	b := p.Masked().Addr().As4()
	return address(binary.BigEndian.Uint32(b[:]) + n).String()
}

// An addressRule is which address of its block an endpoint gets.
type addressRule struct {
	key    string
	offset uint32
	basis
}

var (
	hostBasic    = addressRule{"host of BASIC", 3, recorded("four recordings: " + kccLog + ", " + c7nLog)}
	hostStandard = addressRule{"host of STANDARD_HA", 4, recorded("two recordings: " + kccLog)}
	hostReplicas = addressRule{"host with read replicas", 3, guessed("the read endpoint has the fourth address")}
	readLater    = addressRule{"read endpoint after an update, in the original block", 5, guessed("the host has the fourth address")}
	readSecond   = addressRule{"read endpoint after an update, in the secondary block", 4, guessed("a /29 is taken to have no room for it")}
	readReplicas = addressRule{"read endpoint", 4, recorded("gcloud describe output of 2025")}
)
