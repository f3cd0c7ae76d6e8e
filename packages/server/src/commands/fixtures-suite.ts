import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Suites that run cases offline: each starts a gateway that replays them, sends each request, and compares the response.
 * They are meant to be changed: to send what the application sends, and to look at what it does with the response.
 */
export const SUITES = {
  node: {
    extension: '.test.mjs',
    head: "import { after, before, test } from 'node:test';",
    run: (file: string) => `node --test ${file}`,
  },
  vitest: {
    extension: '.test.mjs',
    head: "import { afterAll as after, beforeAll as before, test } from 'vitest';",
    run: (file: string) => `npx vitest run ${file}`,
  },
  jest: {
    extension: '.test.cjs',
    head: 'const { afterAll: after, beforeAll: before, test } = globalThis;',
    run: (file: string) => `npx jest --testMatch '**/${file}'`,
  },
  pytest: { extension: '_test.py', head: '', run: (file: string) => `pytest ${file}` },
} as const;

export type SuiteRunner = keyof typeof SUITES;

/** Writes the suite for the cases of a folder beside it, in place of a former one. */
export function writeSuite(
  runner: SuiteRunner,
  parent: string,
  folder: string,
): { readonly file: string; readonly run: string } {
  const { extension, head, run } = SUITES[runner];
  const name = `${folder}${extension}`;
  const file = join(parent, name);
  writeFileSync(file, runner === 'pytest' ? toPython(folder) : toJavaScript(runner, folder, head));
  return { file, run: run(file) };
}

const KEY = 'sk-offline-fixtures';

function toJavaScript(runner: Exclude<SuiteRunner, 'pytest'>, folder: string, head: string): string {
  const isCommonJs = runner === 'jest';
  const imported = (names: string, module: string): string =>
    isCommonJs ? `const ${names} = require('${module}');` : `import ${names} from '${module}';`;
  const here = isCommonJs ? '__dirname' : 'import.meta.dirname';
  return `// Replays the cases in ${folder}/ and checks each response. It needs no network, and no key of a provider.
${imported('assert', 'node:assert/strict')}
${imported('{ spawn }', 'node:child_process')}
${imported('{ readdirSync, readFileSync }', 'node:fs')}
${imported('{ join }', 'node:path')}
${head}

const KEY = '${KEY}';
const CASES = join(${here}, '${folder}', '_edge');
const PATHS = {
  'chat-completions': '/chat/completions',
  messages: '/messages',
  responses: '/responses',
  completions: '/completions',
};
let gateway;
let api;

before(async () => {
  const command = ['--no-install', 'model-gateway', 'replay', '--dir', '${folder}', '--key', KEY];
  const stdio = ['ignore', 'pipe', 'inherit'];
  gateway = spawn('npx', command, { cwd: ${here}, detached: true, stdio });
  api = await new Promise((resolve, reject) => {
    let out = '';
    gateway.once('exit', (code) => reject(new Error(\`The gateway ended with \${code} before it listened\`)));
    gateway.stdout.on('data', (piece) => {
      out += piece;
      const line = out.split('\\n').find((each) => each.includes('"listening"'));
      if (line !== undefined) resolve(JSON.parse(line).api);
    });
  });
}, 30_000);

after(() => {
  if (gateway.exitCode === null) process.kill(-gateway.pid);
});

for (const operation of Object.keys(PATHS)) {
  for (const name of namesIn(join(CASES, operation))) {
    test(\`\${operation}: \${name}\`, async () => {
      const read = (file) => JSON.parse(readFileSync(join(CASES, operation, name, file), 'utf8'));
      const request = read('request.json');
      const { status } = read('meta.json');
      const response = await fetch(api + PATHS[operation], {
        method: 'POST',
        headers: { authorization: \`Bearer \${KEY}\`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      assert.equal(response.status, status);
      if (request.stream === true && status === 200) {
        assert.equal(await response.text(), readFileSync(join(CASES, operation, name, 'response.sse'), 'utf8'));
      } else assert.deepEqual(await response.json(), read('response.json'));
    });
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
`;
}

function toPython(folder: string): string {
  return `"""Replays the cases in ${folder}/ and checks each response. It needs no network, and no key of a provider."""
import json
import os
import pathlib
import signal
import subprocess
import urllib.error
import urllib.request

import pytest

KEY = "${KEY}"
HERE = pathlib.Path(__file__).parent
CASES = HERE / "${folder}" / "_edge"
PATHS = {
    "chat-completions": "/chat/completions",
    "messages": "/messages",
    "responses": "/responses",
    "completions": "/completions",
}


@pytest.fixture(scope="session")
def api():
    command = ["npx", "--no-install", "model-gateway", "replay", "--dir", "${folder}", "--key", KEY]
    gateway = subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    line = next((each for each in gateway.stdout if '"listening"' in each), None)
    assert line is not None, "The gateway ended before it listened"
    yield json.loads(line)["api"]
    os.killpg(gateway.pid, signal.SIGTERM)


def cases():
    for operation in PATHS:
        for folder in sorted((CASES / operation).glob("*")):
            yield pytest.param(operation, folder, id=f"{operation}: {folder.name}")


@pytest.mark.parametrize("operation, folder", cases())
def test_responds_as_it_did(api, operation, folder):
    request = (folder / "request.json").read_text()
    status = json.loads((folder / "meta.json").read_text())["status"]
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    call = urllib.request.Request(api + PATHS[operation], request.encode(), headers)
    try:
        with urllib.request.urlopen(call) as response:
            got, text = response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        got, text = error.code, error.read().decode()
    assert got == status
    if json.loads(request).get("stream") is True and status == 200:
        assert text == (folder / "response.sse").read_text()
    else:
        assert json.loads(text) == json.loads((folder / "response.json").read_text())
`;
}
