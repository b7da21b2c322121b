// A bot that answers posts, which the service sends to its webhook.
//
//	BOT_TOKEN=bot_… SECRET_TOKEN=… PORT=3000 go run ./receive
//
// It may be killed at any moment: the service sends again what it has not accepted, and each answer has an
// Idempotency-Key.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"botyard.example/bot"
)

const largestBody = 1 << 20

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on port %s\n", port)
	server := &http.Server{Handler: http.HandlerFunc(receive), ReadTimeout: time.Minute}
	log.Fatal(server.Serve(listener))
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, largestBody))
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	update, err := verify(request.Header, body, []string{os.Getenv("SECRET_TOKEN")}, time.Now())
	switch {
	case err == errNoUpdate:
		response.WriteHeader(http.StatusBadRequest)
		return
	case err != nil:
		log.Printf("refused: %v", err)
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	// A test of the webhook is number 0: there is nothing to do. An update may come twice, also at the same moment. What
	// must happen once needs a key, as the answer has one.
	if update.ID > 0 {
		if err := bot.Handle(update); err != nil {
			log.Printf("update %d: %v", update.ID, err)
			// The service sends it again.
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
	}
	// Only now: whatever is answered below 300 does not come again.
	response.WriteHeader(http.StatusNoContent)
}
