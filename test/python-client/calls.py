"""Calls each kind of model through the generated client, and prints what came of it as JSON."""

import base64
import json
import sys

sys.path.insert(0, sys.argv[1])

import gateway_client as client  # noqa: E402

configuration = client.Configuration(host=sys.argv[2])
configuration.access_token = sys.argv[3]
connection = client.ApiClient(configuration)


def call(method, body):
    """What the client has made of the response, as plain values."""
    return connection.sanitize_for_serialization(method(body))


told = {
    "embeddings": call(
        client.EmbeddingsApi(connection).create_embeddings,
        {"model": "up/embeddings", "input": ["one", "two"]},
    ),
    "rerank": call(
        client.RerankApi(connection).create_rerank,
        {"model": "up/rerank", "query": "snow", "documents": ["fox"]},
    ),
    "transcription": call(
        client.AudioApi(connection).create_transcription,
        {
            "model": "up/transcription",
            "input_audio": {"data": base64.b64encode(b"audio").decode(), "format": "mp3"},
        },
    ),
    "images": call(
        client.ImagesApi(connection).create_images,
        {"model": "up/image", "prompt": "a fox"},
    ),
    "moderation": call(
        client.ModerationsApi(connection).create_moderation,
        {"model": "up/moderation", "input": "a fox"},
    ),
    "video": call(
        client.VideosApi(connection).create_video,
        {"model": "up/video", "prompt": "a fox"},
    ),
    # Bytes are read as they come: the document gives them no schema.
    "speech": client.AudioApi(connection)
    .create_speech({"model": "up/speech", "input": "Hello", "voice": "any"}, _preload_content=False)
    .data.decode(),
    "models": len(client.ModelsApi(connection).list_models(_preload_content=False).data) > 2,
}

try:
    client.RerankApi(connection).create_rerank({"model": "up/embeddings", "query": "snow", "documents": ["fox"]})
except client.ApiException as error:
    told["refusal"] = [error.status, json.loads(error.body)["error"]["message"]]

print(json.dumps(told))
