import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { PIXEL, startKinds } from '../support/openapi/start-kinds.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const GENERATOR = join(HERE, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar');
const LIMIT_MS = 300_000;

const run = async (program: string, ...words: string[]): Promise<string> =>
  (await promisify(execFile)(program, words, { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 })).stdout;

/** Why this machine can generate no client, or cannot run one; undefined where it can. */
async function findMissing(): Promise<string | undefined> {
  if (!existsSync(GENERATOR)) return 'the generator is not installed';
  const tries = [
    ['java', '-version'],
    // What generated clients import.
    ['python3', '-c', 'import urllib3, dateutil, six'],
  ] as const;
  for (const [program, ...words] of tries) {
    const error = await run(program, ...words).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (error !== undefined) return `${program} ${words.join(' ')} fails`;
  }
  return undefined;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Words of JSON Schema 2020-12 that OpenAPI 3.0 does not have, and patterns, which this generator reads as Perl's. */
const UNKNOWN = new Set(['propertyNames', 'contentEncoding', 'contentMediaType', 'pattern']);

/** A part of a document of OpenAPI 3.1 in the words of 3.0, which is what generators of Python in npm read. */
function toOlderForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toOlderForm);
  if (!isObject(value)) return value;
  const older: Record<string, unknown> = Object.fromEntries(
    Object.entries(value)
      // A property may be called like a word of the schema.
      .filter(([key, part]) => !UNKNOWN.has(key) || (isObject(part) && key === 'pattern'))
      .map(([key, part]) => [key, toOlderForm(part)]),
  );
  for (const key of ['anyOf', 'oneOf']) {
    const choices = older[key];
    if (!Array.isArray(choices)) continue;
    delete older[key];
    const others = choices.filter((choice) => !isObject(choice) || choice['type'] !== 'null');
    if (others.length < choices.length) older['nullable'] = true;
    // The generator has no unions: they become any value.
    if (others.length === 1) Object.assign(older, others[0]);
    else delete older['type'];
  }
  const { const: only, exclusiveMinimum: above } = older;
  if (typeof only === 'string') older['enum'] = [only];
  if ('const' in older && !isObject(only)) delete older['const'];
  if (typeof above === 'number') Object.assign(older, { minimum: above, exclusiveMinimum: true });
  return older;
}

/** The document of a gateway, for those who call models: without what its own pages use. */
async function readDocument(origin: string): Promise<Json> {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as { readonly paths: Json };
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/v1/'));
  return { ...(toOlderForm({ ...document, paths: Object.fromEntries(paths) }) as Json), openapi: '3.0.3' };
}

const missing = await findMissing();

test.skipIf(missing !== undefined)(
  `a Python client generated from /openapi.json compiles, and calls each kind of model${missing === undefined ? '' : `, skipped: ${missing}`}`,
  { timeout: 3 * LIMIT_MS },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'python-client-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const origin = await startKinds();
    const document = join(dir, 'openapi.json');
    writeFileSync(document, JSON.stringify(await readDocument(origin)));
    const words = [
      '-g',
      'python',
      '-i',
      document,
      '-o',
      dir,
      '--skip-validate-spec',
      '--package-name',
      'gateway_client',
    ];
    await run('java', '-jar', GENERATOR, 'generate', ...words);
    await run('python3', '-m', 'compileall', '-q', join(dir, 'gateway_client'));
    const told = JSON.parse(await run('python3', join(HERE, 'calls.py'), dir, origin, TEST_KEY)) as Json;
    expect(told).toMatchObject({
      embeddings: { data: [{ embedding: [1] }, { embedding: [2] }] },
      rerank: { results: [{ relevance_score: 0.5 }] },
      transcription: { text: 'heard' },
      images: { data: [{ b64_json: PIXEL, media_type: 'image/png' }] },
      moderation: { results: [{ flagged: true }] },
      video: { status: 'pending' },
      speech: 'spoken',
      models: true,
      refusal: [400, 'model: up/embeddings makes no rerank; it is called by POST /embeddings'],
    });
  },
);
