import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findProgram } from '../engines/support/find-program.ts';
import { installPackages } from '../support/test-run/install-packages.ts';

/*
 * A real voice and real ears behind OpenAI's form: eSpeak NG speaks, PocketSphinx listens. Only the form is ours.
 */

/** PocketSphinx knows a voice of this kind only where it expects few words. */
export const WORDS = ['zero', 'three', 'six', 'eight', 'nine'];
const GRAMMAR = `#JSGF V1.0;\ngrammar digits;\npublic <digits> = ( ${WORDS.join(' | ')} )+;\n`;

const PROGRAMS = { 'espeak-ng': 'espeak-ng', pocketsphinx_continuous: 'pocketsphinx', sox: 'sox' };
const MODEL = 'pocketsphinx-en-us';

/** Installs the programs where that may be done; returns why there is no voice, else undefined. */
export function findVoice(): string | undefined {
  const missing = (): string[] => {
    const packages = Object.entries(PROGRAMS).flatMap(([program, name]) => (findProgram(program) ? [] : [name]));
    return packages.includes('pocketsphinx') ? [...packages, MODEL] : packages;
  };
  return installPackages(missing);
}

export interface VoiceServer {
  /** With the version segment. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

export async function startVoice(): Promise<VoiceServer> {
  const server = createServer((request, response) => {
    const answer = request.url === '/v1/audio/speech' ? speak : listen;
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    close: () => new Promise((done) => void server.close(() => done())),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** The sound goes out as it is made. */
async function speak(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { input, voice } = JSON.parse((await readBody(request)).toString()) as { input: string; voice: string };
  const { stdout } = spawn('espeak-ng', ['-v', voice, '-s', '120', '--stdout', input], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  response.writeHead(200, { 'content-type': 'audio/wav' });
  stdout.pipe(response);
}

async function listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = await new Response(new Uint8Array(await readBody(request)), {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).formData();
  const text = await hear(new Uint8Array(await (form.get('file') as File).arrayBuffer()));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text }));
}

/** What the ears make of a wave file. */
export async function hear(sound: Uint8Array): Promise<string> {
  const run = promisify(execFile);
  const folder = await mkdtemp(join(tmpdir(), 'gateway-ears-'));
  const [given, heard, grammar] = ['given.wav', 'heard.wav', 'digits.gram'].map((name) => join(folder, name));
  try {
    await writeFile(given ?? '', sound);
    await writeFile(grammar ?? '', GRAMMAR);
    await run('sox', ['--ignore-length', given ?? '', '-r', '16000', '-b', '16', '-c', '1', heard ?? '']);
    const { stdout } = await run('pocketsphinx_continuous', ['-infile', heard ?? '', '-jsgf', grammar ?? '']);
    return stdout.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
