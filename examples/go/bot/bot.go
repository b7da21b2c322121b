// Package bot answers posts through the API of Botyard. It is what poll and receive have in common.
package bot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

const longestWait = 30 * time.Second

// Longer than the 30 s that a poll waits.
var client = &http.Client{Timeout: 40 * time.Second}

// Update is an event that the bot hears. What its payload has depends on the event type.
type Update struct {
	ID        int64           `json:"update_id"`
	EventType string          `json:"event_type"`
	Payload   json.RawMessage `json:"payload"`
}

type post struct {
	Body      string `json:"body"`
	ChannelID string `json:"channel_id"`
	Deleted   bool   `json:"deleted"`
	Author    struct {
		Type string `json:"type"`
	} `json:"author"`
}

// Refused means that the service refuses the request, and would refuse it again.
type Refused struct {
	Status        int
	Code, Message string
}

func (r *Refused) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Message) }

// Call reads the answer to a request into result. It tries again while there is none, and after 429 and 5xx, as
// Retry-After says. Its error is a *Refused.
func Call(method, path string, body any, key string, result any) error {
	for tries := 0; ; tries++ {
		wait, err := try(method, path, body, key, result)
		var refused *Refused
		if err == nil || errors.As(err, &refused) {
			return err
		}
		if wait == 0 {
			wait = min(time.Second<<min(tries, 5), longestWait)
		}
		time.Sleep(wait)
	}
}

func try(method, path string, body any, key string, result any) (time.Duration, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		content = bytes.NewReader(text)
	}
	url := os.Getenv("BOTYARD_URL")
	if url == "" {
		url = "http://127.0.0.1:8080"
	}
	request, err := http.NewRequest(method, url+path, content)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("BOT_TOKEN"))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		// Half an answer. Whether a post was stored, its key finds out.
		return 0, err
	}
	status := response.StatusCode
	if status == http.StatusTooManyRequests || status >= 500 {
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return time.Duration(seconds) * time.Second, errors.New(response.Status)
	}
	if status >= 300 {
		return 0, &Refused{status, response.Header.Get("Botyard-Error"), string(answer)}
	}
	return 0, json.Unmarshal(answer, result)
}

// Handle answers an update. Its error means that the bot's token is not valid.
func Handle(update Update) error {
	if update.EventType != "channel.post_created" {
		return nil
	}
	var post post
	if err := json.Unmarshal(update.Payload, &post); err != nil {
		return err
	}
	// Answers to bots, itself among them, would never end. A deleted post is empty.
	if post.Author.Type == "bot" || post.Deleted {
		return nil
	}
	body := map[string]string{"body": "echo: " + post.Body}
	// The same for the same update, also in another run: the service publishes it once.
	key := fmt.Sprintf("answer-%d", update.ID)
	err := Call("POST", "/v1/bot-api/channels/"+post.ChannelID+"/posts", body, key, &struct{}{})
	var refused *Refused
	if errors.As(err, &refused) && refused.Status != http.StatusUnauthorized {
		// Such as a channel that it was detached from: the next update must not wait for that.
		log.Printf("update %d given up: %v", update.ID, refused)
		return nil
	}
	return err
}
