package memorystore

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
	htransport "google.golang.org/api/transport/http"
)

const (
	secretToken = "ya29.token-that-must-not-be-seen"
	secretKey   = "AIza-key-that-must-not-be-seen"
	secretBody  = "answer-that-must-not-be-seen"
)

var secrets = []string{secretToken, secretKey, secretBody, "second-token", "Bearer"}

// A guard answers what authorize lets through, and keeps the headers of all requests.
type guard struct {
	*socket
	mu      sync.Mutex
	headers []http.Header
	queries []url.Values
}

func newGuard(t *testing.T) *guard {
	g := &guard{}
	g.socket = listen(t, func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.headers, g.queries = append(g.headers, r.Header.Clone()), append(g.queries, r.URL.Query())
		n := len(g.headers)
		g.mu.Unlock()
		if n%2 == 1 { // every call meets a retry
			w.WriteHeader(503)
			return
		}
		fmt.Fprint(w, instanceJSON)
	})
	return g
}

// sources gives out tokens in order.
type sources struct {
	tokens []*oauth2.Token
	asked  int
}

func (s *sources) Token() (*oauth2.Token, error) {
	s.asked++
	return s.tokens[min(s.asked, len(s.tokens))-1], nil
}

func lasting(token string) *oauth2.Token {
	return &oauth2.Token{AccessToken: token, TokenType: "Bearer", Expiry: time.Now().Add(time.Hour)}
}

func expired(token string) *oauth2.Token {
	return &oauth2.Token{AccessToken: token, TokenType: "Bearer", Expiry: time.Now().Add(-time.Hour)}
}

func TestCredentials(t *testing.T) {
	for _, row := range []struct {
		about string
		opts  func() []option.ClientOption
		want  []string // Authorization of the two attempts of each of two calls; a prefix
		key   string   // of an API, which Google's transport puts into the URL
	}{
		{"WithTokenSource", func() []option.ClientOption {
			return []option.ClientOption{option.WithTokenSource(&sources{tokens: []*oauth2.Token{lasting(secretToken)}})}
		}, []string{"Bearer " + secretToken, "Bearer " + secretToken, "Bearer " + secretToken, "Bearer " + secretToken}, ""},
		{"WithTokenSource that refreshes what expired", func() []option.ClientOption {
			return []option.ClientOption{option.WithTokenSource(oauth2.ReuseTokenSource(nil, &sources{tokens: []*oauth2.Token{expired(secretToken), lasting("second-token")}}))}
		}, []string{"Bearer " + secretToken, "Bearer second-token", "Bearer second-token", "Bearer second-token"}, ""},
		{"WithHTTPClient of oauth2", func() []option.ClientOption {
			return []option.ClientOption{option.WithHTTPClient(oauth2.NewClient(t.Context(), oauth2.StaticTokenSource(lasting(secretToken))))}
		}, []string{"Bearer " + secretToken, "Bearer " + secretToken, "Bearer " + secretToken, "Bearer " + secretToken}, ""},
		{"WithHTTPClient of oauth2 that refreshes what expired", func() []option.ClientOption {
			source := oauth2.ReuseTokenSource(expired("never sent"), &sources{tokens: []*oauth2.Token{expired(secretToken), lasting("second-token")}})
			return []option.ClientOption{option.WithHTTPClient(oauth2.NewClient(t.Context(), source))}
		}, []string{"Bearer " + secretToken, "Bearer second-token", "Bearer second-token", "Bearer second-token"}, ""},
		{"WithAPIKey", func() []option.ClientOption { return []option.ClientOption{option.WithAPIKey(secretKey)} },
			[]string{"", "", "", ""}, secretKey},
		{"WithoutAuthentication", func() []option.ClientOption { return []option.ClientOption{option.WithoutAuthentication()} },
			[]string{"", "", "", ""}, ""},
	} {
		t.Run(row.about, func(t *testing.T) {
			g, book := newGuard(t), &logbook{}
			c, err := NewClient(t.Context(), append(row.opts(), option.WithEndpoint(g.URL), option.WithLogger(book.logger()), WithRetry(RetryPolicy{Backoff: atOnce}))...)
			require.NoError(t, err)
			t.Cleanup(c.http.CloseIdleConnections)
			for range 2 {
				_, err = c.GetInstance(t.Context(), testInstance)
				require.NoError(t, err)
			}
			var got []string
			for _, h := range g.headers {
				got = append(got, h.Get("Authorization"))
			}
			assert.Equal(t, row.want, got)
			for _, q := range g.queries {
				assert.Equal(t, row.key, q.Get("key"))
			}
			_, err = c.GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			g.Close()
			_, err = c.GetInstance(t.Context(), testInstance)
			assertNone(t, secrets, map[string]string{"the log": book.String(), "an error": everything(err)})
			assert.Len(t, book.records(t, "WARN"), 3, "the log was on")
		})
	}

	t.Run("a service account signs its own token", func(t *testing.T) {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		require.NoError(t, err)
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		private := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		account, err := json.Marshal(map[string]string{"type": "service_account", "project_id": "p", "private_key_id": "k1", "private_key": private,
			"client_email": "sdk@p.iam.gserviceaccount.com", "client_id": "1", "token_uri": "http://127.0.0.1:1/token"})
		require.NoError(t, err)
		g, book := newGuard(t), &logbook{}
		c, err := NewClient(t.Context(), option.WithAuthCredentialsJSON(option.ServiceAccount, account), option.WithEndpoint(g.URL), option.WithLogger(book.logger()), WithRetry(RetryPolicy{Backoff: atOnce}))
		require.NoError(t, err)
		t.Cleanup(c.http.CloseIdleConnections)
		_, err = c.GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		token, isBearer := strings.CutPrefix(g.headers[0].Get("Authorization"), "Bearer ")
		require.True(t, isBearer)
		parts := strings.Split(token, ".")
		require.Len(t, parts, 3)
		signature, err := base64.RawURLEncoding.DecodeString(parts[2])
		require.NoError(t, err)
		sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
		require.NoError(t, rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], signature))
		claims, err := base64.RawURLEncoding.DecodeString(parts[1])
		require.NoError(t, err)
		assert.Contains(t, string(claims), `"scope":"https://www.googleapis.com/auth/cloud-platform"`)
		assertNone(t, []string{token, private[40:80]}, map[string]string{"the log": book.String()})
	})

	t.Run("an external account gets its token at its token_url", func(t *testing.T) {
		g, book := newGuard(t), &logbook{}
		credential, asked := externalAccount(t, giveToken)
		c := withCredential(t, g.URL, book, credential)
		for range 3 {
			_, err := c.GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
		}
		assert.EqualValues(t, 1, asked.Load(), "the token is kept while it is good")
		assert.Equal(t, "Bearer "+secretToken, g.headers[5].Get("Authorization"))
		assertNone(t, append(secrets, "subject-token"), map[string]string{"the log": book.String()})
	})
}

// externalAccount is a credential that must be had from a token server, and the number of times that was asked.
func externalAccount(t *testing.T, answer http.HandlerFunc) (option.ClientOption, *atomic.Int32) {
	var asked atomic.Int32
	tokens := listen(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	})
	subject := filepath.Join(t.TempDir(), "subject")
	require.NoError(t, os.WriteFile(subject, []byte("subject-token-that-must-not-be-seen"), 0o600))
	account, err := json.Marshal(map[string]any{"type": "external_account", "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/a/providers/b",
		"subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": tokens.URL, "credential_source": map[string]string{"file": subject}})
	require.NoError(t, err)
	return option.WithAuthCredentialsJSON(option.ExternalAccount, account), &asked
}

// giveToken is what a token server does.
func giveToken(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":%q,"issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":3600}`, secretToken)
}

// withCredential is a client that retries at once and logs into book.
func withCredential(t *testing.T, endpoint string, book *logbook, opts ...option.ClientOption) *Client {
	c, err := NewClient(t.Context(), append([]option.ClientOption{option.WithEndpoint(endpoint), option.WithLogger(book.logger()),
		WithRetry(RetryPolicy{Backoff: atOnce, Retryable: RetryStatusOrTransport})}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// everything is all that a program may print of an error and of what it wraps.
func everything(err error) string {
	var b strings.Builder
	var walk func(error)
	walk = func(err error) {
		if err == nil {
			return
		}
		fmt.Fprintf(&b, "%v\n%+v\n%s\n", err, err, err)
		if e, isError := err.(*Error); isError {
			fmt.Fprintf(&b, "%+v\n", *e)
			for _, a := range e.Attempts {
				fmt.Fprintf(&b, "%+v\n", a)
			}
			slog.New(slog.NewJSONHandler(&b, nil)).Info("", "error", e)
		}
		switch err := err.(type) {
		case interface{ Unwrap() error }:
			walk(err.Unwrap())
		case interface{ Unwrap() []error }:
			for _, one := range err.Unwrap() {
				walk(one)
			}
		}
	}
	walk(err)
	return b.String()
}

func TestCredentialFailures(t *testing.T) {
	retrieve := func(status int) error {
		return &oauth2.RetrieveError{Response: &http.Response{StatusCode: status, Status: fmt.Sprint(status)}, Body: []byte(secretBody + "\n<html>"), ErrorCode: "invalid_grant", ErrorDescription: secretBody}
	}
	for _, row := range []struct {
		about string
		err   error
		text  string
	}{
		{"the token server refuses", retrieve(400), "no credential: the token server answered 400 invalid_grant"},
		{"the token server is ill", retrieve(503), "no credential: the token server answered 503 invalid_grant"},
		{"wrapped once more", fmt.Errorf("sts: %w", retrieve(403)), "no credential: the token server answered 403 invalid_grant"},
		{"no credential at all", errors.New("metadata: no server\nResponse: " + secretBody), "no credential: "},
	} {
		t.Run(row.about, func(t *testing.T) {
			var requests atomic.Int32
			s := listen(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
			failing := tokenFunc(func() (*oauth2.Token, error) { return nil, row.err })
			for about, opt := range map[string]option.ClientOption{
				"WithTokenSource": option.WithTokenSource(failing),
				"WithHTTPClient":  option.WithHTTPClient(&http.Client{Transport: &oauth2.Transport{Source: failing}}),
			} {
				if about == "WithHTTPClient" && !isTokenError(row.err) {
					continue // what is below a caller's own client cannot be told apart from a connection
				}
				for _, m := range methods {
					book := &logbook{}
					c, err := NewClient(t.Context(), opt, option.WithEndpoint(s.URL), option.WithLogger(book.logger()), WithRetry(RetryPolicy{Backoff: atOnce, Retryable: RetryStatusOrTransport}))
					require.NoError(t, err)
					_, err = m.call(t.Context(), c)
					e := failure(t, err)
					attempted(t, e, 1)
					assert.Contains(t, e.Message, row.text, about)
					assert.False(t, e.Ambiguous, m.name)
					assert.Zero(t, e.HTTPStatus, "the token server's status is not the service's")
					assertNone(t, secrets, map[string]string{"the log": book.String(), "the error": everything(err)})
					assert.Empty(t, book.String(), "nothing was given up")
				}
			}
			assert.Zero(t, requests.Load())
		})
	}
	for about, answer := range map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			fmt.Fprintf(w, `{"error":"access_denied","error_description":%q}`, secretBody)
		},
		"is ill": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			fmt.Fprintf(w, "<html>%s</html>", secretBody)
		},
		"talks nonsense":       func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, secretBody) },
		"gives an empty token": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"nothing":%q}`, secretBody) },
		"resets":               func(w http.ResponseWriter, _ *http.Request) { reset(w) },
		"sends us elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", 307)
		},
	} {
		t.Run("a token server that "+about, func(t *testing.T) {
			book, g := &logbook{}, newGuard(t)
			credential, asked := externalAccount(t, answer)
			_, err := withCredential(t, g.URL, book, credential).UpgradeInstance(t.Context(), testInstance, "REDIS_7_2")
			e := failure(t, err)
			attempted(t, e, 1)
			assert.False(t, e.Ambiguous)
			assert.Contains(t, err.Error(), ": no credential: ")
			assertNone(t, append(secrets, "subject-token"), map[string]string{"the log": book.String(), "the error": everything(err)})
			assert.Empty(t, g.headers, "requests to the service")
			assert.Positive(t, asked.Load())
		})
	}
	t.Run("a token source that hangs does not outlive the context", func(t *testing.T) {
		release := make(chan struct{})
		t.Cleanup(func() { close(release) })
		hanging := tokenFunc(func() (*oauth2.Token, error) {
			<-release
			return nil, errors.New("too late")
		})
		for about, opt := range map[string]option.ClientOption{
			"WithTokenSource": option.WithTokenSource(hanging),
			"WithHTTPClient":  option.WithHTTPClient(&http.Client{Transport: &oauth2.Transport{Source: hanging}}),
		} {
			c, err := NewClient(t.Context(), opt, option.WithEndpoint("http://127.0.0.1:1"), WithLogger(discard))
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*time.Millisecond, cancel)
			_, err = c.GetInstance(ctx, testInstance) // hangs for ever if it is wrong
			assert.ErrorIs(t, err, context.Canceled, about)
			_, err = c.With(WithRetry(RetryPolicy{AttemptTimeout: 10 * time.Millisecond})).GetInstance(t.Context(), testInstance)
			assert.ErrorIs(t, err, ErrAttemptTimeout, about)
		}
	})
	t.Run("in virtual time, to the moment", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			hanging := tokenFunc(func() (*oauth2.Token, error) {
				<-release
				return nil, errors.New("too late")
			})
			c, err := NewClient(t.Context(), option.WithHTTPClient(&http.Client{Transport: &oauth2.Transport{Source: hanging}}), WithLogger(discard))
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
			defer cancel()
			start := time.Now()
			_, err = c.GetInstance(ctx, testInstance)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, 7*time.Second, time.Since(start))
			close(release)
		})
	})
}

type tokenFunc func() (*oauth2.Token, error)

func (f tokenFunc) Token() (*oauth2.Token, error) { return f() }

func TestRedirectsCarryNoToken(t *testing.T) {
	var strayed atomic.Int32
	elsewhere := listen(t, func(http.ResponseWriter, *http.Request) { strayed.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		home := listen(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL+r.URL.Path, status) })
		source := oauth2.StaticTokenSource(lasting(secretToken))
		for about, opts := range map[string][]option.ClientOption{
			"WithTokenSource": {option.WithTokenSource(source)},
			"WithHTTPClient":  {option.WithHTTPClient(oauth2.NewClient(t.Context(), source))},
			"a client that follows": {option.WithHTTPClient(&http.Client{Transport: &oauth2.Transport{Source: source},
				CheckRedirect: func(*http.Request, []*http.Request) error { return nil }})},
		} {
			c, err := NewClient(t.Context(), append(opts, option.WithEndpoint(home.URL), WithLogger(discard))...)
			require.NoError(t, err)
			for _, m := range methods {
				_, err := m.call(t.Context(), c)
				assert.Equal(t, status, failure(t, err).HTTPStatus, "%s %s", about, m.name)
			}
		}
	}
	assert.Zero(t, strayed.Load())
}

// The variable of Google's libraries that turns on logs in which credentials can be read.
func TestDebugLogsOfGoogleStayOff(t *testing.T) {
	t.Setenv("GOOGLE_SDK_GO_LOGGING_LEVEL", "debug")
	g := newGuard(t)
	printed := captureStderr(t, func() {
		book := &logbook{}
		credential, _ := externalAccount(t, giveToken)
		_, err := withCredential(t, g.URL, book, credential).GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		assertNone(t, append(secrets, "subject-token"), map[string]string{"the log": book.String()})
	})
	assertNone(t, append(secrets, "subject-token"), map[string]string{"stderr": printed})
	assert.Equal(t, "Bearer "+secretToken, g.headers[1].Get("Authorization"))

	// The same without the SDK's care: were nothing to be seen here, nothing would have been shown above.
	printed = captureStderr(t, func() {
		credential, _ := externalAccount(t, giveToken)
		plain, _, err := htransport.NewClient(t.Context(), credential, option.WithEndpoint(g.URL), internaloption.EnableNewAuthLibrary(),
			internaloption.WithDefaultScopes("https://www.googleapis.com/auth/cloud-platform"))
		require.NoError(t, err)
		resp, err := plain.Get(g.URL)
		require.NoError(t, err)
		resp.Body.Close()
		plain.CloseIdleConnections()
	})
	assert.Contains(t, printed, secretToken)
}

// captureStderr returns what is printed to os.Stderr meanwhile.
func captureStderr(t *testing.T, run func()) string {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	before := os.Stderr
	os.Stderr = w
	printed := make(chan string)
	go func() {
		all, _ := io.ReadAll(r)
		printed <- string(all)
	}()
	func() {
		defer func() {
			os.Stderr = before
			w.Close()
		}()
		run()
	}()
	return <-printed
}

func TestNewClient(t *testing.T) {
	refused := func(t *testing.T, want string, opts ...option.ClientOption) {
		t.Helper()
		c, err := NewClient(t.Context(), opts...)
		assert.Nil(t, c)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
		assert.True(t, strings.HasPrefix(err.Error(), "memorystore: NewClient: "), err.Error())
		assertOneLine(t, err.Error())
	}
	for _, row := range []struct {
		opts []option.ClientOption
		want string
	}{
		{[]option.ClientOption{nil}, "an option is nil"},
		{[]option.ClientOption{WithRetry(RetryPolicy{MaximumBackoff: -1})}, "RetryPolicy.MaximumBackoff is -1ns: it must not be negative; 0 means drawn from 32 s to 64 s"},
		{[]option.ClientOption{WithRetry(RetryPolicy{AttemptTimeout: -2})}, "RetryPolicy.AttemptTimeout is -2ns: it must not be negative, but for NoTimeout"},
		{[]option.ClientOption{WithRetry(RetryPolicy{MaxRetryAfter: -time.Second})}, "RetryPolicy.MaxRetryAfter is -1s: it must not be negative; 0 means 5 min"},
		{[]option.ClientOption{WithRetry(RetryPolicy{InDoubt: 3})}, "RetryPolicy.InDoubt is 3: it must be Settle, Resend or Stop"},
		{[]option.ClientOption{WithRetry(RetryPolicy{InDoubt: -1})}, "RetryPolicy.InDoubt is -1: it must be Settle, Resend or Stop"},
		{[]option.ClientOption{WithRetryBudget(NewRetryBudget(7, 0.1))}, "retry budget of 7 tokens is smaller than the 8 retries of one call"},
		{[]option.ClientOption{WithRetryBudget(NewRetryBudget(0, 0.1))}, "retry budget of 0 tokens and 0.1 per call: tokens must be at least 1, per call within 0 and 1"},
		{[]option.ClientOption{WithRetryBudget(NewRetryBudget(10, -0.1))}, "per call within 0 and 1"},
		{[]option.ClientOption{WithPolling(Polling{Min: -1})}, "Polling is -1ns to "},
		{[]option.ClientOption{WithPolling(Polling{Min: 2 * time.Second, Max: time.Second})}, "Polling is 2s to 1s, fraction 0.1: Min must not be negative nor above Max"},
		{[]option.ClientOption{WithPolling(Polling{Fraction: -1})}, "the fraction must be above 0"},
		{[]option.ClientOption{option.WithEndpoint("ftp://example.com"), option.WithoutAuthentication()}, `endpoint "ftp://example.com": it must be a URL such as https://redis.googleapis.com/`},
		{[]option.ClientOption{option.WithEndpoint("http://user:pw@example.com"), option.WithoutAuthentication()}, "it must be a URL such as"},
		{[]option.ClientOption{option.WithEndpoint("http://example.com/?a=b"), option.WithoutAuthentication()}, "it must be a URL such as"},
		{[]option.ClientOption{option.WithAuthCredentialsFile(option.ServiceAccount, filepath.Join(t.TempDir(), "none.json"))}, "none.json"},
		{[]option.ClientOption{option.WithAuthCredentialsJSON(option.ServiceAccount, []byte(`{"private_key":"`+secretKey))}, ""},
		{[]option.ClientOption{option.WithAPIKey(secretKey), option.WithoutAuthentication()}, ""},
	} {
		t.Run(row.want, func(t *testing.T) {
			refused(t, row.want, row.opts...)
			_, err := NewClient(t.Context(), row.opts...)
			assertNone(t, secrets, map[string]string{"the error": everything(err)})
		})
	}
	t.Run("what is allowed at the edge", func(t *testing.T) {
		for _, o := range []Option{
			WithRetry(RetryPolicy{AttemptTimeout: NoTimeout}), WithRetry(RetryPolicy{MaxRetries: -100}), WithRetry(RetryPolicy{InDoubt: Stop}),
			WithRetryBudget(nil), WithRetryBudget(NewRetryBudget(8, 0)), WithRetryBudget(NewRetryBudget(8, 1)), WithLogger(nil),
			WithPolling(Polling{Min: time.Minute}), WithPolling(Polling{Min: time.Second, Max: time.Second, Fraction: 1000}),
		} {
			_, err := NewClient(t.Context(), option.WithHTTPClient(http.DefaultClient), o)
			assert.NoError(t, err)
		}
	})
	t.Run("endpoints are used as given, with or without slash and version", func(t *testing.T) {
		for _, path := range []string{"", "/", "/v1", "/v1/"} {
			s := newScript(t, ok(instanceJSON))
			_, err := s.client(option.WithEndpoint("http://proxy.example:8080/redis"+path)).GetInstance(t.Context(), testInstance)
			require.NoError(t, err)
			assert.Equal(t, "/redis/v1/"+testInstance, s.sent[0].path)
		}
	})
	t.Run("without an endpoint it is Google's, over https", func(t *testing.T) {
		c, err := NewClient(t.Context(), option.WithHTTPClient(http.DefaultClient))
		require.NoError(t, err)
		assert.Equal(t, "https://redis.googleapis.com/v1/", c.base)
	})
	t.Run("the caller's http.Client is not written to", func(t *testing.T) {
		called := false
		mine := &http.Client{Timeout: time.Hour, CheckRedirect: func(*http.Request, []*http.Request) error { called = true; return nil }}
		before := *mine
		c, err := NewClient(t.Context(), option.WithHTTPClient(mine))
		require.NoError(t, err)
		assert.NotSame(t, mine, c.http)
		assert.Equal(t, before.Timeout, mine.Timeout)
		assert.Nil(t, mine.Transport)
		assert.Nil(t, mine.Jar)
		assert.Equal(t, reflect.ValueOf(before.CheckRedirect).Pointer(), reflect.ValueOf(mine.CheckRedirect).Pointer())
		assert.False(t, called)
		assert.Nil(t, http.DefaultClient.CheckRedirect)
	})
	t.Run("the user agent is added to the SDK's", func(t *testing.T) {
		s := newScript(t, ok(instanceJSON), ok(instanceJSON))
		_, err := s.client(option.WithUserAgent("shop/7")).GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		_, err = s.client().GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		assert.Equal(t, "memorystore-go/"+Version+" shop/7", s.sent[0].header.Get("User-Agent"))
		assert.Equal(t, "memorystore-go/"+Version, s.sent[1].header.Get("User-Agent"))
		g := newGuard(t)
		c, err := NewClient(t.Context(), option.WithEndpoint(g.URL), option.WithoutAuthentication(), option.WithUserAgent("shop/7"), WithLogger(discard), WithRetry(RetryPolicy{Backoff: atOnce}))
		require.NoError(t, err)
		t.Cleanup(c.http.CloseIdleConnections)
		_, err = c.GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		assert.Equal(t, []string{"memorystore-go/" + Version + " shop/7"}, g.headers[0]["User-Agent"])
		assert.Equal(t, []string{"gl-go/" + strings.TrimPrefix(runtime.Version(), "go") + " memorystore-go/" + Version}, g.headers[0]["X-Goog-Api-Client"])
	})
	t.Run("quota project and reason are sent", func(t *testing.T) {
		g := newGuard(t)
		c, err := NewClient(t.Context(), option.WithEndpoint(g.URL), option.WithTokenSource(oauth2.StaticTokenSource(lasting(secretToken))),
			option.WithQuotaProject("payer"), option.WithRequestReason("ticket-1"), WithLogger(discard), WithRetry(RetryPolicy{Backoff: atOnce}))
		require.NoError(t, err)
		t.Cleanup(c.http.CloseIdleConnections)
		_, err = c.GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		assert.Equal(t, "payer", g.headers[1].Get("X-Goog-User-Project"))
		assert.Equal(t, "ticket-1", g.headers[1].Get("X-Goog-Request-Reason"))
	})
}

func TestLoggers(t *testing.T) {
	swap := func(t *testing.T) *logbook {
		book, before := &logbook{}, slog.Default()
		slog.SetDefault(book.logger())
		t.Cleanup(func() { slog.SetDefault(before) })
		return book
	}
	fail := func(t *testing.T, opts ...option.ClientOption) {
		client := &http.Client{Transport: stateless{}}
		c, err := NewClient(t.Context(), append(opts, option.WithHTTPClient(client), WithRetry(RetryPolicy{MaxRetries: 1, Backoff: atOnce}))...)
		require.NoError(t, err)
		_, err = c.GetInstance(t.Context(), testInstance)
		require.Error(t, err)
	}
	t.Run("none: slog.Default", func(t *testing.T) {
		book := swap(t)
		fail(t)
		assert.Len(t, book.records(t, ""), 2)
	})
	t.Run("option.WithLogger", func(t *testing.T) {
		other, book := swap(t), &logbook{}
		fail(t, option.WithLogger(book.logger()))
		assert.Len(t, book.records(t, ""), 2)
		assert.Empty(t, other.String())
	})
	t.Run("WithLogger of this package comes first", func(t *testing.T) {
		other, book := &logbook{}, &logbook{}
		fail(t, WithLogger(book.logger()), option.WithLogger(other.logger()))
		assert.Len(t, book.records(t, ""), 2)
		assert.Empty(t, other.String())
	})
	t.Run("slog.Default is asked for at each call", func(t *testing.T) {
		c, err := NewClient(t.Context(), option.WithHTTPClient(&http.Client{Transport: stateless{}}), WithRetry(RetryPolicy{MaxRetries: 1, Backoff: atOnce}))
		require.NoError(t, err)
		book := swap(t)
		_, err = c.GetInstance(t.Context(), testInstance)
		require.Error(t, err)
		assert.Len(t, book.records(t, ""), 2)
	})
}

func TestEmulatorHost(t *testing.T) {
	var requests atomic.Int32
	emulator := listen(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		assert.Empty(t, r.Header.Get("Authorization"))
		fmt.Fprint(w, instanceJSON)
	})
	host := strings.TrimPrefix(emulator.URL, "http://")
	// Nothing in the environment must look like a credential, so that a client that wants one fails.
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))

	for _, value := range []string{host, "http://" + host, "http://" + host + "/", host + "/"} {
		t.Run("good "+strings.ReplaceAll(value, host, "HOST"), func(t *testing.T) {
			t.Setenv(emulatorEnv, value)
			requests.Store(0)
			for about, opts := range map[string][]option.ClientOption{
				"no option":   nil,
				"credentials": {option.WithTokenSource(oauth2.StaticTokenSource(lasting(secretToken)))},
				"user agent":  {option.WithUserAgent("shop/7")},
			} {
				book := &logbook{}
				c, err := NewClient(t.Context(), append(opts, option.WithLogger(book.logger()))...)
				require.NoError(t, err, about)
				for range 2 {
					_, err = c.GetInstance(t.Context(), testInstance)
					require.NoError(t, err, about)
				}
				c.http.CloseIdleConnections()
				records := book.records(t, "")
				require.Len(t, records, 1, about)
				assert.Equal(t, "INFO", records[0].Level)
				assert.Equal(t, "memorystore: using the emulator of MEMORYSTORE_EMULATOR_HOST", records[0].Message)
				assert.Equal(t, "http://"+host, records[0].Endpoint)
			}
			assert.EqualValues(t, 6, requests.Load())
		})
	}
	for _, value := range []string{"localhost", ":8085", "localhost:", "https://" + host, "http://", "http://http://" + host, host + "/v1", host + "?x=y", "user@" + host, "a b:80", "http://" + host + "#f", "127.0.0.1:port", "\n"} {
		t.Run(fmt.Sprintf("bad %q", strings.ReplaceAll(value, host, "HOST")), func(t *testing.T) {
			t.Setenv(emulatorEnv, value)
			_, err := NewClient(t.Context(), WithLogger(discard))
			require.Error(t, err)
			assert.Contains(t, err.Error(), "MEMORYSTORE_EMULATOR_HOST is "+fmt.Sprintf("%q", withoutSecrets(value))+": it must be host:port or http://host:port")
			assertOneLine(t, err.Error())
		})
	}
	t.Run("an explicit choice beats it", func(t *testing.T) {
		other := newGuard(t)
		t.Setenv(emulatorEnv, "127.0.0.1:1")
		source := option.WithTokenSource(oauth2.StaticTokenSource(lasting(secretToken)))
		book := &logbook{}
		c, err := NewClient(t.Context(), source, option.WithEndpoint(other.URL), WithLogger(book.logger()), WithRetry(RetryPolicy{Backoff: atOnce}))
		require.NoError(t, err)
		t.Cleanup(c.http.CloseIdleConnections)
		_, err = c.GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		assert.Equal(t, "Bearer "+secretToken, other.headers[0].Get("Authorization"), "credentials are kept")
		assert.Empty(t, book.records(t, "INFO"))

		s := newScript(t, ok(instanceJSON))
		_, err = s.client().GetInstance(t.Context(), testInstance)
		require.NoError(t, err)
		assert.Empty(t, s.log.String())
	})
	t.Run("a bad value does not matter beside an explicit choice", func(t *testing.T) {
		t.Setenv(emulatorEnv, "nonsense")
		newScript(t).client()
	})
}

func TestWith(t *testing.T) {
	t.Run("a copy has its own settings, and the first keeps its own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := always(t, busy())
			c := s.client()
			once := c.With(WithRetry(NoRetry()))
			_, err := once.GetInstance(t.Context(), testInstance)
			attempted(t, failure(t, err), 1)
			_, err = c.GetInstance(t.Context(), testInstance)
			attempted(t, failure(t, err), 9)
			assert.Same(t, c.http, once.http, "the connections are shared")
		})
	})
	t.Run("a setting not named stays", func(t *testing.T) {
		c := newScript(t).client(WithRetry(RetryPolicy{MaxRetries: 3}), WithPolling(Polling{Min: time.Minute}))
		d := c.With(WithRetryBudget(NewRetryBudget(3, 0)))
		assert.Equal(t, 3, d.retry.MaxRetries)
		assert.Equal(t, time.Minute, d.polling.Min)
		assert.Nil(t, c.budget)
	})
	t.Run("a bad setting is the error of every call, and nothing is sent", func(t *testing.T) {
		for want, opts := range map[string][]Option{
			"RetryPolicy.MaximumBackoff": {WithRetry(RetryPolicy{MaximumBackoff: -1})},
			"retry budget of 3 tokens":   {WithRetryBudget(NewRetryBudget(3, 0))},
			"Polling is":                 {WithPolling(Polling{Fraction: 1e9})},
			"With: an option is nil":     {nil},
		} {
			s := newScript(t)
			c := s.client().With(opts...)
			for _, m := range methods {
				_, err := m.call(t.Context(), c)
				e := failure(t, err)
				assert.Contains(t, e.Message, want)
				assert.ErrorIs(t, err, InvalidArgument)
				assert.Empty(t, e.Attempts)
			}
			good := c.With(WithRetry(RetryPolicy{}), WithRetryBudget(nil), WithPolling(Polling{}))
			if want != "With: an option is nil" {
				assert.NoError(t, good.bad, "a good setting mends it")
			}
		}
	})
}

// Every call is one HTTP request that says what testdata/wire says, and its answer is read as what stands beside it.
func TestWire(t *testing.T) {
	type wire struct {
		Request struct {
			Method, Path, Params string
			Query                map[string]string
			Body                 json.RawMessage
		}
		Answer json.RawMessage
		Want   json.RawMessage
	}
	for _, m := range methods {
		t.Run(m.name, func(t *testing.T) {
			var w wire
			require.NoError(t, json.Unmarshal(testFile(t, "wire", m.name+".json"), &w))
			s := newScript(t, ok(string(w.Answer)))
			got, err := m.call(t.Context(), s.client(option.WithUserAgent("shop/7")))
			require.NoError(t, err)

			r := s.sent[0]
			assert.Equal(t, w.Request.Method, r.method)
			assert.Equal(t, w.Request.Path, r.path)
			query := map[string]string{}
			for k, v := range r.query {
				query[k] = strings.Join(v, " & ")
			}
			assert.Equal(t, w.Request.Query, query)
			header := r.header
			if w.Request.Body == nil {
				assert.Empty(t, r.body)
				assert.Empty(t, header.Get("Content-Type"))
			} else {
				assert.JSONEq(t, string(w.Request.Body), r.body)
				assert.Equal(t, "application/json", header.Get("Content-Type"))
			}
			assert.Equal(t, w.Request.Params, header.Get("X-Goog-Request-Params"))
			assert.Equal(t, "memorystore-go/"+Version+" shop/7", header.Get("User-Agent"))
			assert.Regexp(t, `^gl-go/\S+ memorystore-go/`+Version+`$`, header.Get("X-Goog-Api-Client"))
			header.Del("X-Goog-Request-Params")
			header.Del("User-Agent")
			header.Del("X-Goog-Api-Client")
			header.Del("Content-Type")
			assert.Empty(t, header, "nothing else is sent")

			seen, err := json.Marshal(shown(got))
			require.NoError(t, err)
			assert.JSONEq(t, string(w.Want), string(seen))
		})
	}
	t.Run("no file is left over", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join("testdata", "wire", "*"))
		require.NoError(t, err)
		assert.Len(t, files, len(methods))
	})
}

// shown is what a wire file says of a value: a handle is shown by what its methods say.
func shown(v any) any {
	switch v := v.(type) {
	case *Operation[Instance]:
		result, err := v.Result()
		return map[string]any{"Name": v.Name(), "Done": v.Done(), "Metadata": v.Metadata(), "Result": result, "NotDone": errors.Is(err, ErrNotDone)}
	case *Operation[Empty]:
		result, err := v.Result()
		return map[string]any{"Name": v.Name(), "Done": v.Done(), "Metadata": v.Metadata(), "Result": result, "NotDone": errors.Is(err, ErrNotDone)}
	case Secret:
		return v.Reveal()
	}
	return v
}

// TestEndpointsKeepSecrets: a URL that is refused is not quoted with what may be a password or a key.
func TestEndpointsKeepSecrets(t *testing.T) {
	for _, endpoint := range []string{"https://user:hunter2@host/", "https://host/?key=hunter2", "https://host/#hunter2"} {
		_, err := NewClient(t.Context(), option.WithEndpoint(endpoint), option.WithoutAuthentication())
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "hunter2")
	}
	t.Setenv(emulatorEnv, "user:hunter2@localhost:80")
	_, err := NewClient(t.Context())
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
}

// refusingSource is a token source that quotes the token server's answer.
type refusingSource struct{}

func (refusingSource) Token() (*oauth2.Token, error) {
	return nil, errors.New("oauth2: cannot fetch token: 400 Bad Request\nResponse: {\"refresh_token\":\"hunter2\"}")
}

// TestTokenAnswerOfACallersClient: a token that cannot be had is final, leaves no doubt, and its answer is not shown,
// when the caller's own client fetches it too.
func TestTokenAnswerOfACallersClient(t *testing.T) {
	var log logbook
	client, err := NewClient(t.Context(), option.WithHTTPClient(oauth2.NewClient(t.Context(), refusingSource{})), WithLogger(log.logger()))
	require.NoError(t, err)
	_, err = client.FailoverInstance(t.Context(), testInstance, "")
	e := failure(t, err)
	assert.Len(t, e.Attempts, 1)
	assert.False(t, e.Ambiguous)
	assert.Contains(t, err.Error(), "no credential: oauth2: cannot fetch token: 400 Bad Request")
	assert.NotContains(t, err.Error()+log.String(), "hunter2")
}

// TestSwitchingProtocols: an answer 101 is refused at once, although its connection stays open.
func TestSwitchingProtocols(t *testing.T) {
	s := newScript(t, reply{status: 101, stream: &endless{}})
	_, err := s.client().GetInstance(t.Context(), testInstance)
	assert.Equal(t, 101, failure(t, err).HTTPStatus)
}
