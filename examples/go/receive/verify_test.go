package main

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"
)

type vector struct {
	Name    string            `json:"name"`
	Secrets []string          `json:"secrets"`
	Now     int64             `json:"now_seconds"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Expect  string            `json:"expect"`
}

func vectors(t *testing.T) (all []vector) {
	text, err := os.ReadFile("../../../sdk/test/vectors/signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all) < 20 {
		t.Fatal(err, len(all))
	}
	return all
}

func result(v vector, more http.Header) string {
	headers := http.Header{}
	for name, value := range v.Headers {
		headers.Add(name, value)
	}
	for name, values := range more {
		headers[name] = append(headers[name], values...)
	}
	if _, err := verify(headers, []byte(v.Body), v.Secrets, time.Unix(v.Now, 0)); err != nil {
		return err.Error()
	}
	return "genuine"
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			if got := result(v, nil); got != v.Expect {
				t.Errorf("%s, not %s", got, v.Expect)
			}
		})
	}
}

func TestRepeatedHeader(t *testing.T) {
	more := http.Header{"X-Service-Bot-Api-Timestamp": {"1767225600"}}
	if got := result(vectors(t)[0], more); got != "repeated-header" {
		t.Error(got)
	}
}
