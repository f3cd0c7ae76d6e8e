import re
import urllib.error

import pytest
from assistant import summarise


def test_summarises_a_text(gateway):
    gateway.on("Summarise: a long text", "A text.")
    assert summarise("a long text", gateway.base_url, gateway.api_key) == "A text."
    [request] = gateway.requests()
    assert request["body"]["model"] == "gpt-4o-mini"


def test_passes_on_that_it_is_asked_too_often(gateway):
    gateway.on(re.compile("^Summarise"), {"status": 429, "retryAfterSeconds": 7})
    with pytest.raises(urllib.error.HTTPError) as refused:
        summarise("a long text", gateway.base_url, gateway.api_key)
    assert refused.value.code == 429
    assert refused.value.headers["retry-after"] == "7"


def test_summarises_several_lines(gateway):
    gateway.on(re.compile("^SUMMARISE.*^the end", re.IGNORECASE | re.MULTILINE | re.DOTALL), "Two lines.")
    assert summarise("a line\nthe end", gateway.base_url, gateway.api_key) == "Two lines."
