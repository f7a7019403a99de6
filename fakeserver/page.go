package fakeserver

import (
	"fmt"
	"html"
	"net/http"
)

// The front end answers paths it does not know, and failures in front of the service, with an HTML page of about
// 1.5 KB titled "Error 404 (Not Found)!!1".

const pageStyle = `    *{margin:0;padding:0}html,code{font:15px/22px arial,sans-serif}html{background:#fff;color:#222;padding:15px}
    body{margin:7% auto 0;max-width:390px;min-height:180px;padding:30px 0 15px}
    * > body{background:url(//www.google.com/images/errors/robot.png) 100% 5px no-repeat;padding-right:205px}
    p{margin:11px 0 22px;overflow:hidden}ins{color:#777;text-decoration:none}a img{border:0}
    @media screen and (max-width:772px){body{background:none;margin-top:0;max-width:none;padding-right:0}}
    #logo{background:url(//www.google.com/images/branding/googlelogo/1x/googlelogo_color_150x54dp.png) no-repeat;margin-left:-5px}
    @media only screen and (min-resolution:192dpi){#logo{background:url(//www.google.com/images/branding/googlelogo/2x/googlelogo_color_150x54dp.png) no-repeat 0% 0%/100% 100%}}
    #logo{display:inline-block;height:54px;width:150px}
`

// page is the front end's page for a status.
func page(status int) *answer {
	title := http.StatusText(status)
	said := "The server encountered a temporary error and could not complete your request.<p>Please try again in 30 seconds."
	switch {
	case status == http.StatusNotFound:
		said = "The requested URL was not found on this server."
	case status >= 500:
		title = "Server Error"
	case status >= 400:
		said = "Your client does not have permission or sent a request that is malformed."
	}
	return pageOf(status, title, said)
}

func pageOf(status int, title, said string) *answer {
	body := fmt.Sprintf(`<!DOCTYPE html>
<html lang=en>
  <meta charset=utf-8>
  <meta name=viewport content="initial-scale=1, minimum-scale=1, width=device-width">
  <title>Error %d (%s)!!1</title>
  <style>
%s  </style>
  <a href=//www.google.com/><span id=logo aria-label=Google></span></a>
  <p><b>%d.</b> <ins>That’s an error.</ins>
  <p>%s  <ins>That’s all we know.</ins>
`, status, title, pageStyle, status, said)
	return &answer{status: status, body: []byte(body), html: true}
}

// lost is the page for a path or a verb that no method answers.
func lost(path string) *answer {
	return pageOf(http.StatusNotFound, "Not Found", "The requested URL <code>"+html.EscapeString(path)+"</code> was not found on this server.")
}
