// Calls each kind of model through the generated client, with the fields that the document declares.
import createClient from 'openapi-fetch';

import type { paths } from './generated/schema.js';

declare const process: { readonly argv: readonly string[] };

const [, , baseUrl = '', apiKey = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${apiKey}` } });

const embedded = await client.POST('/api/v1/embeddings', { body: { model: 'up/embeddings', input: ['one', 'two'] } });
const vectors: unknown[] = embedded.data?.data.map(({ embedding }) => embedding) ?? [];

const ranked = await client.POST('/api/v1/rerank', { body: { model: 'up/rerank', query: 'snow', documents: ['fox'] } });
const score: number | undefined = ranked.data?.results[0]?.relevance_score;

const spoken = await client.POST('/api/v1/audio/speech', {
  body: { model: 'up/speech', input: 'Hello', voice: 'any' },
  parseAs: 'text',
});
const speech: unknown = spoken.data;

const heard = await client.POST('/api/v1/audio/transcriptions', {
  body: { model: 'up/transcription', input_audio: { data: btoa('audio'), format: 'mp3' } },
});
const transcript: unknown = heard.data;

const painted = await client.POST('/api/v1/images', { body: { model: 'up/image', prompt: 'a fox' } });
const picture: unknown = painted.data;

const judged = await client.POST('/api/v1/moderations', { body: { model: 'up/moderation', input: 'a fox' } });
const flagged: boolean | undefined = judged.data?.results[0]?.flagged;

const filmed = await client.POST('/api/v1/videos', { body: { model: 'up/video', prompt: 'a fox' } });
const job: string | undefined = filmed.data?.status;

// A model of another kind, which is refused in the declared form.
const refused = await client.POST('/api/v1/rerank', {
  body: { model: 'up/embeddings', query: 'snow', documents: ['fox'] },
});
const advice: string | undefined = refused.error?.error.message;

console.log(JSON.stringify({ vectors, score, speech, transcript, picture, flagged, job, advice }));
