package fakeserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"
)

// An authority is the certificate authority of one instance with in-transit encryption.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// caLifetime is 3650 days, as recorded.
const caLifetime = 3650 * 24 * time.Hour

// newAuthority makes a CA with the subject that the service's have.
func newAuthority(now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: new(big.Int), // the service's CAs have serial number 0
		Subject: pkix.Name{
			CommonName: "Google Cloud Memorystore Redis Server CA", Organization: []string{"Google, Inc"}, Country: []string{"US"},
			ExtraNames: []pkix.AttributeTypeAndValue{{Type: asn1.ObjectIdentifier{2, 5, 4, 46}, Value: newUUID()}}, // dnQualifier
		},
		NotBefore: now.Truncate(time.Second), NotAfter: now.Add(caLifetime).Truncate(time.Second),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	return sign(template, nil, key)
}

// sign makes a certificate for key, by itself when there is no signer.
func sign(template *x509.Certificate, signer *authority, key *ecdsa.PrivateKey) (*authority, error) {
	parent, by := template, key
	if signer != nil {
		parent, by = signer.cert, signer.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert, key}, err
}

// shown is the TlsCertificate that an instance carries.
func (a *authority) shown(now time.Time) *message {
	fingerprint := sha1.Sum(a.cert.Raw)
	return build(certificateType, fCertSerial, a.cert.SerialNumber.String(),
		fCertPEM, strings.TrimSuffix(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})), "\n"),
		fCertCreateTime, now, fCertExpireTime, now.Add(caLifetime), fCertFingerprint, hex.EncodeToString(fingerprint[:]))
}

// issue makes a server certificate for hosts, good for 180 days as the service's are.
func (a *authority) issue(now time.Time, hosts []string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: hosts[0], Organization: []string{"Google, Inc"}, Country: []string{"US"}},
		NotBefore: now.Add(-time.Minute), NotAfter: now.Add(180 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	leaf, err := sign(template, a, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{leaf.cert.Raw, a.cert.Raw}, PrivateKey: key, Leaf: leaf.cert}, nil
}

// newUUID is what an AUTH string looks like: 36 characters, random.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
