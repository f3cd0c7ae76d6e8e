"""An application that calls a model. It learns the address and the key from outside, as in production."""

import json
import urllib.request


def summarise(text, base_url, api_key):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": f"Summarise: {text}"}]}
    request = urllib.request.Request(
        f"{base_url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"authorization": f"Bearer {api_key}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)["choices"][0]["message"]["content"]
