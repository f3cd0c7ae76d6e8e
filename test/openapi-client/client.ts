// A program over the client that `openapi-typescript` generates: it compiles only where the document has what it uses.
import createClient from 'openapi-fetch';

import type { paths } from './generated/schema.js';

declare const process: { readonly argv: readonly string[] };

const [, , baseUrl = '', apiKey = '', managementKey = ''] = process.argv;
const connect = (key: string) => createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
const client = connect(apiKey);
const admin = connect(managementKey);

const messages = [{ role: 'user' as const, content: 'Hello' }];
const chat = await client.POST('/api/v1/chat/completions', {
  params: { header: { 'x-session-id': 'generated', 'x-openrouter-metadata': 'enabled' } },
  body: { model: 'test/text', messages },
});
if (chat.data === undefined) throw new Error(chat.error.error.message);
if (!('choices' in chat.data)) throw new Error('no completion');
const text: string | null | undefined = chat.data.choices[0]?.message.content;
const requested: string | undefined = chat.data.openrouter_metadata?.requested;

const streamed = await client.POST('/api/v1/chat/completions', {
  body: { model: 'test/text', messages, stream: true },
  parseAs: 'text',
});
const frames: number = String(streamed.data).split('\n\n').length;

const refused = await client.POST('/api/v1/chat/completions', { body: { model: 'test/nobody', messages } });
const errorType: string | undefined = refused.error?.error.metadata.error_type;

const query = { id: chat.data.id };
const generation = await client.GET('/api/v1/generation', { params: { query } });
const cost: number | null | undefined = generation.data?.data.total_cost;
const content = await client.GET('/api/v1/generation/content', { params: { query } });
const stored = content.data?.data.output;

const models = await client.GET('/api/v1/models', { params: { query: { limit: 2 } } });
// A feed would be a text.
if (typeof models.data !== 'object') throw new Error('no list');
const ids: string[] = models.data.data.map(({ id }) => id);

const made = await admin.POST('/api/v1/keys', { body: { name: 'generated' } });
const path = { hash: made.data?.data.hash ?? '' };
const removed = await admin.DELETE('/api/v1/keys/{hash}', { params: { path } });

const told = { text, requested, frames, errorType, hasCost: cost !== undefined, stored, ids };
console.log(JSON.stringify({ ...told, name: made.data?.data.name, deleted: removed.data?.deleted }));
