package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"botyard.example/bot"
)

const oldest = 300 * time.Second

var (
	errRepeated  = errors.New("repeated-header")
	errMissing   = errors.New("missing-header")
	errSecret    = errors.New("wrong-secret")
	errSignature = errors.New("wrong-signature")
	errTime      = errors.New("wrong-time")
	errNoUpdate  = errors.New("no-update")

	names     = []string{"Timestamp", "Secret-Token", "Signature"}
	isDecimal = regexp.MustCompile(`^[0-9]{1,15}$`)
)

// verify returns the update of a webhook request. The body is the bytes as they came, before anything has parsed them;
// the secrets are the webhook's secret token, and two while it is changed.
func verify(headers http.Header, body []byte, secrets []string, now time.Time) (update bot.Update, err error) {
	values := map[string]string{}
	for _, name := range names {
		all := headers.Values("X-Service-Bot-Api-" + name)
		if len(all) > 1 {
			return update, errRepeated
		}
		if len(all) == 0 || all[0] == "" {
			return update, errMissing
		}
		values[name] = all[0]
	}
	secret := ""
	for _, one := range secrets {
		if hmac.Equal([]byte(one), []byte(values["Secret-Token"])) {
			secret = one
		}
	}
	if secret == "" {
		return update, errSecret
	}
	hash := hmac.New(sha256.New, []byte(secret))
	hash.Write([]byte(values["Timestamp"] + "."))
	hash.Write(body)
	expected := "sha256=" + hex.EncodeToString(hash.Sum(nil))
	if !hmac.Equal([]byte(expected), []byte(values["Signature"])) {
		return update, errSignature
	}
	seconds, _ := strconv.ParseInt(values["Timestamp"], 10, 64)
	age := now.Sub(time.Unix(seconds, 0)).Abs()
	if !isDecimal.MatchString(values["Timestamp"]) || age > oldest {
		return update, errTime
	}
	var fields struct {
		ID        *int64          `json:"update_id"`
		EventType *string         `json:"event_type"`
		Payload   *map[string]any `json:"payload"`
	}
	isUpdate := json.Unmarshal(body, &fields) == nil && json.Unmarshal(body, &update) == nil
	if !isUpdate || fields.ID == nil || fields.EventType == nil || fields.Payload == nil {
		return update, errNoUpdate
	}
	return update, nil
}
