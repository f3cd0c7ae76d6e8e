import type { LocalServer } from '@model-gateway/core';
import { z } from 'zod';

/** A model server that people run on their own machine, by the preset that fits it, with its usual port. */
export interface KnownServer {
  readonly preset: string;
  readonly name: string;
  readonly port: number;
}

const KNOWN_SERVERS: readonly KnownServer[] = [
  { preset: 'ollama', name: 'Ollama', port: 11_434 },
  { preset: 'lmstudio', name: 'LM Studio', port: 1234 },
  { preset: 'llama-cpp', name: 'llama.cpp', port: 8080 },
  { preset: 'vllm', name: 'vLLM', port: 8000 },
];

/** A server of this machine responds at once, or is busy with something else. */
const LIMIT_MS = 1000;
const MAX_LIST_BYTES = 1024 * 1024;
const MAX_MODELS = 500;

const modelListSchema = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

/** Asks the usual ports of this machine, and no other machine, for a list of models. What gives none is left out. */
export async function findLocalServers(
  known: readonly KnownServer[] = KNOWN_SERVERS,
  limitMs = LIMIT_MS,
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(known.map((server) => findServer(server, limitMs)));
  return found.filter((server) => server !== null);
}

async function findServer({ preset, name, port }: KnownServer, limitMs: number): Promise<LocalServer | null> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  try {
    const response = await fetch(`${baseUrl}/models`, { redirect: 'error', signal: AbortSignal.timeout(limitMs) });
    if (!response.ok || response.body === null) return null;
    const { data } = modelListSchema.parse(JSON.parse(await readLimited(response.body)));
    return { preset, name, baseUrl, models: data.slice(0, MAX_MODELS).map(({ id }) => id) };
  } catch {
    return null;
  }
}

/** Whatever listens there may send without end. */
async function readLimited(body: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MAX_LIST_BYTES) throw new RangeError('too long for a list of models');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
