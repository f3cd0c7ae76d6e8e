import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';

import type { ModelDefinition } from '@model-gateway/core';
import { onTestFinished } from 'vitest';

/** A model that speaks and one that listens, at the provider of test gateways. */
export const AUDIO_MODELS: readonly ModelDefinition[] = [
  {
    id: 'test/voice',
    architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
    supported_voices: ['anna', 'bruno'],
    endpoints: [{ provider: 'scripted', providerModel: 'voice', pricing: { character: '0.00001' } }],
  },
  {
    id: 'test/ears',
    architecture: { input_modalities: ['audio'], output_modalities: ['transcription'] },
    endpoints: [{ provider: 'scripted', providerModel: 'ears', pricing: { audio_second: '0.0001' } }],
  },
];

export interface AudioUpstream {
  readonly baseUrl: string;
  /** What was sent with the last request, a file as its name and text. */
  latest(): Readonly<Record<string, unknown>>;
}

/**
 * An upstream of OpenAI's form. It speaks a text as the text itself, or as so many bytes as `bytesOf` says, and hears three seconds of the
 * text that a file holds.
 */
export async function startAudioUpstream({
  bytesOf,
}: { readonly bytesOf?: () => number } = {}): Promise<AudioUpstream> {
  let latest: Record<string, unknown> = {};
  const speak = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    latest = JSON.parse((await buffer(request)).toString()) as Record<string, unknown>;
    response.setHeader('content-type', latest['response_format'] === 'mp3' ? 'audio/mpeg' : 'audio/pcm');
    if (bytesOf === undefined) return void response.end(latest['input']);
    const bytes = bytesOf();
    const piece = Buffer.alloc(64 * 1024);
    for (let sent = 0; sent < bytes; sent += piece.length) {
      if (!response.write(piece)) await once(response, 'drain');
      else await turn();
    }
    response.end();
  };
  const hear = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = { 'content-type': String(request.headers['content-type']) };
    let text = 'a long file';
    if (Number(request.headers['content-length']) < 1024 * 1024) {
      const form = await new Response(new Uint8Array(await buffer(request)), { headers }).formData();
      const file = form.get('file') as File;
      text = await file.text();
      latest = { ...Object.fromEntries(form.entries()), file: { name: file.name, text } };
    } else {
      let length = 0;
      for await (const piece of request as AsyncIterable<Uint8Array>) length += piece.length;
      latest = { length };
    }
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        task: 'transcribe',
        language: 'english',
        duration: 3,
        text,
        segments: [{ id: 0, start: 0, end: 3, text }],
        words: [{ word: text, start: 0, end: 3 }],
      }),
    );
  };
  const server = createServer((request, response) => {
    void (request.url?.endsWith('/audio/speech') === true ? speak : hear)(request, response);
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, latest: () => latest };
}
