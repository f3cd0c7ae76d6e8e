import { expect, test, vi } from 'vitest';

import { API_KEY, createCoreGateway, jsonOf, MODELS } from '../../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { createTurnTransport, type ScriptedTurn } from '../../../../../test/support/upstreams/scripted-turns.ts';
import { GatewayError } from '../../foundation/errors.ts';

const PDF = `data:application/pdf;base64,${btoa('%PDF-1.7 pages')}`;
const PARSED = '<file name="plan.pdf">\npage one\n\npage two\n</file>';
const PARSER = { plugins: [{ id: 'file-parser', pdf: { engine: 'pdf-text' } }] };
const asking = (file: object, extra: readonly object[] = []) => ({
  messages: [
    ...extra,
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'file', file },
      ],
    },
  ],
});

const setUp = (turns: readonly ScriptedTurn[] = [{ content: 'A plan.' }], inputs?: readonly 'text'[], options = {}) => {
  const upstream = createTurnTransport(turns);
  const readPdf = vi.fn<() => Promise<string[]>>(() => Promise.resolve(['page one', 'page two']));
  const models = MODELS.map((model) => ({
    ...model,
    ...(inputs && { architecture: { input_modalities: [...inputs], output_modalities: ['text' as const] } }),
  }));
  const core = createCoreGateway(upstream, { models, web: { readPdf, ...options } });
  const sentParts = () => (upstream.latest().sent['messages'] as { content: unknown }[]).at(-1)?.content;
  return { ...core, upstream, readPdf, sentParts };
};
const messageOf = (response: Parameters<typeof jsonOf>[0]) =>
  (jsonOf(response)['choices'] as [{ message: { annotations?: object[] } }])[0].message;

test('converts a PDF to text for the model and returns an annotation to the caller', async () => {
  const { chat, sentParts } = setUp();
  const response = await chat({ ...asking({ filename: 'plan.pdf', file_data: PDF }), ...PARSER });
  expect(sentParts()).toEqual([
    { type: 'text', text: 'What is this?' },
    { type: 'text', text: PARSED },
  ]);
  expect(messageOf(response).annotations).toEqual([
    {
      type: 'file',
      file: {
        hash: expect.stringMatching(/^[\da-f]{64}$/) as string,
        name: 'plan.pdf',
        content: [{ type: 'text', text: PARSED }],
      },
    },
  ]);
});

test('reads no file again whose annotation comes back', async () => {
  const { chat, readPdf, sentParts } = setUp();
  const { annotations } = messageOf(await chat({ ...asking({ filename: 'plan.pdf', file_data: PDF }), ...PARSER }));
  const assistant = { role: 'assistant', content: 'A plan.', annotations };
  const response = await chat({ ...asking({ filename: 'plan.pdf', file_data: PDF }, [assistant]), ...PARSER });
  expect(readPdf).toHaveBeenCalledTimes(1);
  expect(sentParts()).toMatchObject([{}, { type: 'text', text: PARSED }]);
  expect(messageOf(response)).not.toHaveProperty('annotations');
});

test('returns the annotations beside the error when every endpoint failed', async () => {
  const { chat } = setUp([{ status: 400 }]);
  const response = await chat({ ...asking({ filename: 'plan.pdf', file_data: PDF }), ...PARSER });
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({
    error: { metadata: { file_annotations: [{ type: 'file', file: { name: 'plan.pdf' } }] } },
  });
});

test('reads files by itself only for models that are known to read none', async () => {
  for (const [inputs, isParsed] of [
    [['text'], true],
    [undefined, false],
  ] as const) {
    const { chat, sentParts } = setUp(undefined, inputs);
    await chat(asking({ file_data: PDF }));
    expect(sentParts()).toMatchObject([{}, { type: isParsed ? 'text' : 'file' }]);
  }
});

test('passes a file on unchanged with the native engine', async () => {
  const { chat, sentParts } = setUp(undefined, ['text']);
  await chat({ ...asking({ file_data: PDF }), plugins: [{ id: 'file-parser', pdf: { engine: 'native' } }] });
  expect(sentParts()).toMatchObject([{}, { type: 'file' }]);
});

test('fetches a file that is given by its address, and reads text as it is', async () => {
  const transport = createReplayTransport({ headers: { 'content-type': 'text/plain' }, pieces: ['just text'] });
  const { chat, sentParts } = setUp(undefined, undefined, { transport });
  await chat({ ...asking({ file_data: 'https://files.example/a.txt' }), ...PARSER });
  expect(transport.latest().request.url).toBe('https://files.example/a.txt');
  expect(sentParts()).toMatchObject([{}, { type: 'text', text: '<file name="file">\njust text\n</file>' }]);
});

test.each([
  ['data:text/plain,just%20text'],
  ['data:text/plain;charset=utf-8;base64,anVzdCB0ZXh0'],
  ['data:Text/Plain;BASE64,anVzdCB0ZXh0'],
])('reads the text of %s', async (file_data) => {
  const { chat, sentParts } = setUp();
  await chat({ ...asking({ file_data }), ...PARSER });
  expect(sentParts()).toMatchObject([{}, { type: 'text', text: '<file name="file">\njust text\n</file>' }]);
});

test.each<[string, object, string]>([
  ['not base64', { file_data: 'data:application/pdf;base64,%%%' }, 'is not a data URL that can be decoded'],
  ['a data URL without a comma', { file_data: `data:${'a'.repeat(1_000_000)}` }, 'without a comma after its type'],
  ['a type without end', { file_data: `data:text/plain;${'a'.repeat(1001)},text` }, 'without a comma after its type'],
  ['a picture', { file_data: `data:image/png;base64,${btoa('png')}` }, 'is neither a PDF nor text'],
  ['an address where none is fetched', { file_data: 'https://files.example/a.pdf' }, 'must be a data URL'],
  ['a broken PDF', { file_data: `data:application/pdf;base64,${btoa('broken')}` }, 'is not a PDF that can be read'],
])('responds with 400 to %s and names its path', async (name, file, reason) => {
  const readPdf = (): Promise<never> => Promise.reject(new Error(`at /srv/${name}`));
  const { chat, upstream } = setUp(undefined, undefined, { readPdf });
  const response = await chat({ ...asking(file), ...PARSER });
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({
    error: {
      message: expect.stringContaining(reason) as string,
      metadata: { issues: [{ path: 'messages.0.content.1.file.file_data' }] },
    },
  });
  expect(upstream.exchanges).toHaveLength(0);
});

test('says what has to be installed where PDFs cannot be read for that', async () => {
  const readPdf = (): Promise<never> => Promise.reject(new GatewayError('invalid_request', 'npm install reader'));
  const { chat } = setUp(undefined, undefined, { readPdf });
  const { status, ...response } = await chat({ ...asking({ file_data: PDF }), ...PARSER });
  expect(status).toBe(400);
  expect(jsonOf({ status, ...response })).toMatchObject({
    error: { message: expect.stringContaining('cannot be read. npm install reader') as string },
  });
});

test.each(['mistral-ocr', 'local-ocr', 'abbyy'])('refuses the engine %s where it is not there', async (engine) => {
  const { chat } = setUp();
  const response = await chat({ ...asking({ file_data: PDF }), plugins: [{ id: 'file-parser', pdf: { engine } }] });
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({
    error: { message: expect.stringContaining('"pdf-text", "native"') as string },
  });
});

/** A file of three pages of which the second is a scan and the third is blank but for its number. */
const SCANNED = {
  readPdf: () => Promise.resolve(['The first page has text of its own.', '', '3']),
  recognisePdf: vi.fn<() => Promise<string[]>>(() => Promise.resolve(['read from a scan', ''])),
};
const engineOf = (response: Parameters<typeof jsonOf>[0]) =>
  (jsonOf(response)['service_metadata'] as { pipeline: object[] }).pipeline;

test.each([{}, { plugins: [{ id: 'file-parser', pdf: { engine: 'local-ocr' } }] }])(
  'reads pages without text from their images, and no others: %j',
  async (plugins) => {
    SCANNED.recognisePdf.mockClear();
    const { chat, sentParts } = setUp(undefined, ['text'], SCANNED);
    const headers = { authorization: `Bearer ${API_KEY}`, 'x-service-experimental-metadata': 'enabled' };
    const response = await chat({ ...asking({ filename: 'a.pdf', file_data: PDF }), ...plugins }, { headers });
    expect(SCANNED.recognisePdf).toHaveBeenCalledExactlyOnceWith(
      new TextEncoder().encode('%PDF-1.7 pages'),
      expect.objectContaining({ pages: [2, 3] }),
    );
    const text = '<file name="a.pdf">\nThe first page has text of its own.\n\nread from a scan\n\n3\n</file>';
    expect(sentParts()).toMatchObject([{}, { type: 'text', text }]);
    expect(engineOf(response)).toContainEqual({
      type: 'plugin',
      name: 'file-parser',
      data: { engine: 'local-ocr', files: 1, scanned_pages: 1 },
    });
  },
);

test('leaves images alone where the text of a file alone is wanted', async () => {
  SCANNED.recognisePdf.mockClear();
  const { chat, sentParts } = setUp(undefined, ['text'], SCANNED);
  await chat({ ...asking({ file_data: PDF }), ...PARSER });
  expect(SCANNED.recognisePdf).not.toHaveBeenCalled();
  expect(sentParts()).toMatchObject([{}, { text: expect.stringContaining('text of its own.\n\n\n\n3') as string }]);
});

test.each<[string, string[], string | undefined, number]>([
  ['reads what text there is', ['The first page has text of its own.', ''], undefined, 200],
  ['refuses a file without any text', ['', ''], undefined, 400],
  ['refuses it where the recogniser was named', ['The first page has text of its own.', ''], 'local-ocr', 400],
])('%s where the recogniser is not installed', async (_, pages, engine, status) => {
  const { chat } = setUp(undefined, ['text'], {
    readPdf: () => Promise.resolve(pages),
    recognisePdf: () => Promise.reject(new GatewayError('invalid_request', 'npm install recogniser')),
  });
  const plugins = engine === undefined ? [] : [{ id: 'file-parser', pdf: { engine } }];
  const response = await chat({ ...asking({ file_data: PDF }), plugins });
  expect(response.status).toBe(status);
  if (status === 400) {
    expect(jsonOf(response)).toMatchObject({
      error: { message: expect.stringContaining('npm install recogniser') as string },
    });
  }
});

test('refuses more scanned pages than a call may have read', async () => {
  const { chat } = setUp(undefined, ['text'], { ...SCANNED, readPdf: () => Promise.resolve(Array(51).fill('')) });
  const response = await chat(asking({ file_data: PDF }));
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({ error: { message: expect.stringContaining('more than 50') as string } });
});

/** A message with these files. */
const askingAll = (files: readonly object[]) => ({
  messages: [{ role: 'user', content: files.map((file) => ({ type: 'file', file })) }],
});
const pdf = (name: string): string => `data:application/pdf;base64,${btoa(`%PDF-1.7 ${name}`)}`;

test('reads a file that occurs twice in a request once', async () => {
  const { chat, readPdf, sentParts } = setUp();
  const file = { filename: 'plan.pdf', file_data: PDF };
  const response = await chat({ ...askingAll([file, file]), ...PARSER });
  expect(readPdf).toHaveBeenCalledTimes(1);
  expect(sentParts()).toEqual([PARSED, PARSED].map((text) => ({ type: 'text', text })));
  expect(messageOf(response).annotations).toHaveLength(1);
});

test('tells files of the same bytes apart by their names', async () => {
  const { chat, sentParts } = setUp();
  const files = ['old.pdf', 'new.pdf'].map((filename) => ({ filename, file_data: PDF }));
  await chat({ ...askingAll(files), ...PARSER });
  expect(sentParts()).toMatchObject(
    files.map(({ filename }) => ({ text: expect.stringContaining(`<file name="${filename}">`) as string })),
  );
});

test('reads no more than three files of a request at once, and begins none after a refusal', async () => {
  let open = 0;
  let most = 0;
  let begun = 0;
  const slowly = async (fails: boolean): Promise<string[]> => {
    begun += 1;
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => void setImmediate(resolve));
    open -= 1;
    if (fails) throw new Error('broken');
    return ['page'];
  };
  const files = Array.from({ length: 12 }, (_, index) => ({ file_data: pdf(`number ${index}`) }));
  const fine = setUp(undefined, undefined, { readPdf: () => slowly(false) });
  await fine.chat({ ...askingAll(files), ...PARSER });
  expect([begun, most]).toEqual([12, 3]);
  expect(fine.sentParts()).toHaveLength(12);
  begun = 0;
  const broken = setUp(undefined, undefined, { readPdf: () => slowly(true) });
  expect((await broken.chat({ ...askingAll(files), ...PARSER })).status).toBe(400);
  expect(begun).toBeLessThanOrEqual(3);
});

test('the texts of the files of a request have a length together', async () => {
  const readPdf = () => Promise.resolve(['x'.repeat(900_000)]);
  const { chat, upstream } = setUp(undefined, undefined, { readPdf });
  const response = await chat({ ...askingAll(['a', 'b', 'c'].map((name) => ({ file_data: pdf(name) }))), ...PARSER });
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({
    error: {
      message: expect.stringContaining('2000000 characters together') as string,
      metadata: { issues: [{ path: 'messages.0.content.2.file.file_data' }] },
    },
  });
  expect(upstream.exchanges).toHaveLength(0);
});

test('the files that are fetched for a request have a size together', async () => {
  const file = { headers: { 'content-type': 'application/pdf' }, pieces: ['%PDF-1.7', 'x'.repeat(12 * 1024 * 1024)] };
  const transport = createReplayTransport(file, file, file);
  const { chat, upstream } = setUp(undefined, undefined, { transport });
  const files = ['a', 'b', 'c'].map((name) => ({ file_data: `https://files.example/${name}.pdf` }));
  const response = await chat({ ...askingAll(files), ...PARSER });
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({
    error: {
      message: expect.stringContaining('33554432 bytes together') as string,
      metadata: { issues: [{ path: expect.stringMatching(/^messages\.0\.content\.\d\.file\.file_data$/) as string }] },
    },
  });
  expect(upstream.exchanges).toHaveLength(0);
});
