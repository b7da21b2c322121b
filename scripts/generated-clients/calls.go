package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func expect(holds bool, what string) {
	if !holds {
		panic(what)
	}
}

func clientOf(token string) *ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	return must(NewClientWithResponses(os.Getenv("BOTYARD_URL"), WithRequestEditorFn(authorize)))
}

func main() {
	ctx, name := context.Background(), os.Getenv("NAME")
	owner := clientOf(os.Getenv("OWNER_TOKEN"))

	created := must(owner.CreateBotWithResponse(ctx, CreateBotRequest{Username: name})).JSON201
	request := CreateChannelRequest{Slug: name, Title: "Generated"}
	channel := must(owner.CreateChannelWithResponse(ctx, request)).JSON201
	attached := must(owner.AttachBotWithResponse(ctx, created.Bot.Id, channel.Id, AttachBotRequest{}))
	expect(attached.JSON200.Role == "moderator", "the role")

	bot := clientOf(created.Token.Token)
	hello := CreateChannelPostRequest{Body: "Hello"}
	post := must(bot.CreateBotPostWithResponse(ctx, channel.Id, &CreateBotPostParams{}, hello))
	expect(post.JSON201.Body == "Hello", "the post")
	event := EmitEventRequest{EventType: "ticket.opened", Payload: map[string]any{"ticket": 42}}
	emitted := must(owner.EmitChannelEventWithResponse(ctx, channel.Id, &EmitChannelEventParams{}, event))
	expect(emitted.JSON201.EventType == "ticket.opened", "the event")
	offset, timeout := 0, 5
	polled := must(bot.PollUpdatesWithResponse(ctx, &PollUpdatesParams{Offset: &offset, Timeout: &timeout}))
	items := polled.JSON200.Items
	expect(must(items[0].AsChannelPostCreatedUpdate()).Payload.Body == "Hello", "the update of the post")
	expect(must(items[1].AsCustomEventUpdate()).Payload["ticket"] == 42.0, "the update of the event")

	from := "3"
	hook := PutWebhookRequest{Url: "http://127.0.0.1:9/", DeliverFrom: &from}
	put := must(owner.PutWebhookWithResponse(ctx, created.Bot.Id, hook))
	expect(put.JSON200.PendingUpdateCount == 0, "the webhook")
	skipped := DeliveryStateSkipped
	filter := &ListBotUpdatesParams{State: &skipped}
	history := must(owner.ListBotUpdatesWithResponse(ctx, created.Bot.Id, filter))
	expect(len(history.JSON200.Items) == 2, "the history")
	day := N24h
	timeline := must(owner.ReadTimelineWithResponse(ctx, created.Bot.Id, &ReadTimelineParams{Range: &day}))
	expect(timeline.JSON200.Range == day, "the timeline")
	refused := must(owner.GetChannelWithResponse(ctx, "nothing"))
	expect(refused.JSON404.Error == "channel not found", "the message")
	expect(refused.HTTPResponse.Header.Get("Botyard-Error") == "channel_not_found", "the code")
	fmt.Println("10 calls")
}
