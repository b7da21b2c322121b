// A bot that answers posts, read by long polling.
//
//	BOT_TOKEN=bot_… go run ./poll
//
// It may be killed at any moment: the service keeps its position, and each answer has an Idempotency-Key.
package main

import (
	"errors"
	"fmt"
	"log"

	"botyard.example/bot"
)

func main() {
	if err := poll(); err != nil {
		log.Fatal(err)
	}
}

func poll() error {
	var me struct {
		Username string `json:"username"`
	}
	if err := bot.Call("GET", "/v1/bot-api/me", nil, "", &me); err != nil {
		return err
	}
	fmt.Printf("@%s polls\n", me.Username)
	for {
		var page struct {
			Items []bot.Update `json:"items"`
		}
		err := bot.Call("GET", "/v1/bot-api/updates?consumer=main&limit=100&timeout=30", nil, "", &page)
		if err != nil {
			return err
		}
		for _, update := range page.Items {
			if err := bot.Handle(update); err != nil {
				return err
			}
		}
		if len(page.Items) == 0 {
			continue
		}
		// Only now: what is not confirmed is read again after a crash.
		if err := confirm(page.Items[len(page.Items)-1].ID); err != nil {
			return err
		}
	}
}

func confirm(number int64) error {
	position := map[string]int64{"position": number}
	err := bot.Call("PUT", "/v1/bot-api/consumers/main", position, "", &struct{}{})
	var refused *bot.Refused
	if errors.As(err, &refused) && refused.Code == "position_backwards" {
		// Another copy of the program is further already.
		return nil
	}
	return err
}
