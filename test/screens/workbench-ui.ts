import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Page } from 'playwright-core';

import { launchUi, type Ui } from '../e2e/launch-ui.ts';

export const API_KEY = 'sk-gw-v1-workbench-0123456789abcdef0123456789abcdef';
export const MANAGEMENT_KEY = `${API_KEY}-management`;
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Not in the blank page before, which may keep nothing. */
export const CHOOSE_KEY = `if (location.protocol === 'http:') sessionStorage.setItem('model-gateway.playground-key', '${API_KEY}')`;

interface UpstreamRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** What the upstream was asked, oldest first. */
export const requests: UpstreamRequest[] = [];
const TEXTS: Readonly<Record<string, string>> = {
  sonnet: 'The sky is **blue** today.',
  mini: 'The sky is grey today.',
  painter: 'Here it is.',
};

/** What each model says: it calls the first tool once, counts what users have said, and paints if it can. */
function toMessage({ model, tools, messages }: UpstreamRequest): object {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { content: `It has ${String(last.content)} degrees.` };
  const [tool] = tools ?? [];
  if (tool !== undefined) {
    const call = { name: tool.function.name, arguments: '{"city":"Lisbon"}' };
    return { content: null, tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] };
  }
  const asked = messages.filter(({ role }) => role === 'user').length;
  if (asked > 1) return { content: `You have asked ${asked} times, and I am ${model}.` };
  // A tenth of a second of silence.
  const audio = { id: 'a', data: Buffer.alloc(4800).toString('base64'), transcript: 'I say so.' };
  if (model === 'speaker') return { content: null, audio };
  const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }];
  return { content: TEXTS[model] ?? 'Yes.', ...(model === 'painter' && { images }) };
}

/** Lets the model that writes slowly come to its end. */
export let finishWriting = (): void => undefined;
const WRITTEN = '# Sky\n\nIt is:\n\n- **blue**\n- wide';

function respond(request: UpstreamRequest, response: ServerResponse): void {
  requests.push(request);
  const facts = { id: 'x', created: 1, model: request.model };
  if (request.model === 'broken') {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'No such weather', type: 'invalid_request_error' } }));
    return;
  }
  const message = toMessage(request);
  const end = 'tool_calls' in message ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  if (request.stream !== true) {
    const choices = [{ index: 0, finish_reason: end, message: { role: 'assistant', ...message } }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...facts, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (request.model === 'writer') {
    const write = (choice: object): void =>
      void response.write(
        `data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`,
      );
    write({ delta: { role: 'assistant', content: WRITTEN }, finish_reason: null });
    finishWriting = () => {
      write({ delta: {}, finish_reason: 'stop' });
      response.end('data: [DONE]\n\n');
    };
    return;
  }
  for (const choice of [
    { index: 0, delta: { role: 'assistant', ...message }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: end },
  ])
    response.write(`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [choice] })}\n\n`);
  response.write(`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

const toConfig = (upstream: string): object => ({
  auth: {
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: 'dev' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  },
  providers: [{ slug: 'here', name: 'Here', wire: 'openai', baseUrl: `${upstream}/v1` }],
  models: [
    {
      id: 'acme/claude-sonnet-4.5',
      name: 'Acme: Claude Sonnet 4.5',
      aliases: ['best'],
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'here',
          providerModel: 'sonnet',
          context_length: 200_000,
          pricing: { prompt: '0.000003', completion: '0.000015' },
        },
      ],
    },
    { id: 'acme/broken', endpoints: [{ provider: 'here', providerModel: 'broken' }] },
    { id: 'acme/writer', endpoints: [{ provider: 'here', providerModel: 'writer' }] },
    { id: 'acme/mini', name: 'Acme: Mini', endpoints: [{ provider: 'here', providerModel: 'mini' }] },
    {
      id: 'acme/painter',
      architecture: { input_modalities: ['text'], output_modalities: ['image', 'text'] },
      endpoints: [{ provider: 'here', providerModel: 'painter' }],
    },
    {
      id: 'acme/speaker',
      architecture: { input_modalities: ['text'], output_modalities: ['text', 'audio'] },
      endpoints: [{ provider: 'here', providerModel: 'speaker' }],
    },
  ],
});

/** A gateway before an upstream of the test, with two calls in its list. */
export interface Workbench {
  readonly ui: Ui;
  /** The id of a call to Claude Sonnet. */
  readonly recorded: string;
  /** The id of one to Mini, with the same messages. */
  readonly other: string;
  /** Opens a page with both keys. */
  readonly open: (hash: string) => ReturnType<Ui['open']>;
  close(): Promise<void>;
}

/** Starts it; the caller closes it. */
export async function startWorkbench(): Promise<Workbench> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (data) => (body += String(data)));
    request.on('end', () => respond(JSON.parse(body) as UpstreamRequest, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ui = await launchUi({ config: toConfig(upstream), managementKey: MANAGEMENT_KEY });
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How is the sky?' },
  ];
  const record = async (model: string): Promise<string> => {
    const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body: { model, messages } });
    return response.headers.get('x-generation-id') ?? '';
  };
  return {
    ui,
    recorded: await record('acme/claude-sonnet-4.5'),
    other: await record('acme/mini'),
    open: (hash) => ui.open(hash, { managementKey: MANAGEMENT_KEY, initScript: CHOOSE_KEY }),
    async close() {
      await ui.close();
      server.close();
    },
  };
}

export const columnOf = (page: Page, at: number) => page.getByRole('region', { name: `Column ${at}:` });
export const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
export const isOk = (page: Page, at: number) =>
  columnOf(page, at).getByRole('status').getByText('ok', { exact: true }).waitFor();

export async function say(page: Page, text: string): Promise<void> {
  await composerOf(page).fill(text);
  await page.keyboard.press('Control+Enter');
}
