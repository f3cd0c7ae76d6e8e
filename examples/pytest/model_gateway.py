"""A pytest plugin: a gateway that answers as a test says, without network, keys or costs.

Copy this file beside conftest.py, and put `pytest_plugins = ["model_gateway"]` there. It needs Node.js and the package
`model-gateway`. One gateway serves the whole run; each test has a scope of it with a key of its own.
"""

import base64
import json
import os
import re
import shlex
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

COMMAND = os.environ.get("MODEL_GATEWAY_COMMAND", "npx --no-install model-gateway")

_FLAGS = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"))


def _to_json(value):
    """Regular expressions and bytes in the words of the gateway."""
    if hasattr(value, "pattern"):
        return {
            "pattern": _to_js(value),
            "flags": "".join(letter for flag, letter in _FLAGS if value.flags & flag),
        }
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    raise TypeError(f"{value!r} has no JSON form")


def _to_js(expression):
    """The pattern of a regular expression as JavaScript writes it. What JavaScript does not have is refused."""
    pattern = expression.pattern
    if not isinstance(pattern, str) or expression.flags & re.VERBOSE:
        raise ValueError(f"{expression!r}: the gateway takes patterns of text, without re.VERBOSE")
    if re.search(r"(?<!\\)(?:\\\\)*\\[AZ]|\(\?[aiLmsux]", pattern):
        raise ValueError(f"{expression!r}: use ^ and $ in place of \\A and \\Z, and re.I in place of (?i)")
    return re.sub(r"\(\?P=(\w+)\)", r"\\k<\1>", pattern.replace("(?P<", "(?<"))


class Gateway:
    """The gateway of one test. `base_url` and `api_key` are for the client of the application."""

    def __init__(self, origin, api_key):
        self.origin = origin
        self.base_url = f"{origin}/api/v1"
        self.api_key = api_key

    def on(self, match, answer, times=None):
        """Answers requests: a text for the user's last message, a compiled pattern for a part of it, or a dict."""
        is_text = isinstance(match, str) or hasattr(match, "pattern")
        rule = {"match": {"text": match} if is_text else match, "answer": answer}
        self._call("POST", "answers", {**rule, **({} if times is None else {"times": times})})

    def fault(self, **fault):
        """Disturbs the next call: `status=503`, `delayMs=2000`, `resetAtChunk=1`."""
        self._call("POST", "faults", fault)

    def advance(self, ms):
        """Moves the clock of the gateway forward."""
        self._call("POST", "advance", {"ms": ms})

    def requests(self):
        """What the application has sent, oldest first: dicts with `method`, `path` and `body`."""
        return self._call("GET", "requests")["requests"]

    def misses(self):
        """What nothing has answered, each with the differences to what was expected."""
        return self._call("GET", "misses")["misses"]

    def scope(self):
        """A part of this gateway that sees only requests with its own key."""
        return Gateway(self.origin, self._call("POST", "scopes")["apiKey"])

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            f"{self.origin}/fixtures/{path}",
            method=method,
            data=None if body is None else json.dumps(body, default=_to_json).encode(),
            headers={"authorization": f"Bearer {self.api_key}", "content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise ValueError(json.load(error)["error"]["message"]) from None


@pytest.fixture(scope="session")
def gateway_of_run(request):
    """The gateway of the whole run. It replays the cases of the folder `fixtures` beside pytest's configuration."""
    folder = Path(request.config.rootpath) / "fixtures"
    has_cases = any(folder.glob("*/*/*/request.json"))
    words = [*shlex.split(COMMAND), "replay", *(["--dir", str(folder)] if has_cases else [])]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{shlex.join(words)} ended with {process.wait()}")
    listening = json.loads(line)
    yield Gateway(listening["url"], listening["apiKey"])
    process.terminate()
    process.wait()


@pytest.fixture
def gateway(gateway_of_run):
    """A gateway for this test alone. A request that nothing answers fails the test."""
    own = gateway_of_run.scope()
    yield own
    misses = own.misses()
    assert not misses, "Nothing answers:\n" + "\n".join(
        f"  {miss['method']} {miss['path']}: {'; '.join(miss['differences']) or 'there is no answer'}" for miss in misses
    )
