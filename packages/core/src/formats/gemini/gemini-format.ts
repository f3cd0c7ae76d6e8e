import type { CompletionEncoder, CompletionEnvelope, Format, Frames, ParsedChat } from '../../chat/format.ts';
import { parseWith, type Unchecked } from '../../foundation/parse.ts';
import { geminiRequestSchema } from '../../wire/gemini.ts';
import { withNative } from '../../wire/native-request.ts';
import { createPartWriter } from './part-writer.ts';
import { toChatRequest } from './to-chat-request.ts';
import { toErrorStatus } from './to-error.ts';
import { type ResponseOptions, toHead, toLastEvent, toResponse } from './to-response.ts';
import { readToolNames } from './tool-names.ts';

/**
 * `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent?alt=sse`: Gemini's form of a chat call
 * (ai.google.dev/api/generate-content). Its body has the model and the stream of the address. An upstream of that form
 * gets it untranslated.
 */
export const geminiFormat: Format = { name: 'gemini', parse: (body) => parseGemini(body, EVENTS) };

/** `:streamGenerateContent` without `alt=sse`: a stream is one list, whose items come one after the other. */
export const geminiListFormat: Format = { name: 'gemini', parse: (body) => parseGemini(body, LIST) };

/** What stands around the JSON of each response in a stream. */
interface StreamForm {
  readonly mediaType?: string;
  readonly keepAlive: string;
  readonly first: string;
  readonly before: string;
  readonly after: string;
  readonly end: string;
}

// A blank line as the sign of life: clients in Python take a comment for broken JSON.
const EVENTS: StreamForm = { keepAlive: '\n', first: 'data: ', before: 'data: ', after: '\n\n', end: '' };
const LIST: StreamForm = {
  mediaType: 'application/json',
  // White space is no part of a document.
  keepAlive: ' ',
  first: '[',
  before: ',\r\n',
  after: '',
  end: ']',
};

function parseGemini(body: unknown, form: StreamForm): ParsedChat {
  const checked = parseWith(geminiRequestSchema, body);
  const names = readToolNames(checked);
  const showsThoughts = checked.generationConfig?.thinkingConfig?.includeThoughts === true;
  const request = withNative(toChatRequest(checked, names), {
    form: 'gemini',
    body: body as Readonly<Record<string, unknown>>,
    headers: {},
    read: (other) => toChatRequest(parseWith(geminiRequestSchema, other), names),
  });
  return { request, encoder: createEncoder(form, { names, showsThoughts }) };
}

const createEncoder = (form: StreamForm, options: ResponseOptions): CompletionEncoder => ({
  ...(form.mediaType !== undefined && { mediaType: form.mediaType }),
  keepAlive: form.keepAlive,
  createFrames: (envelope) => createResponseFrames(envelope, form, options),
  toWhole: (completion) => toResponse(completion, options),
});

/**
 * Writes one stream of this form. What upstream sent in the same form is given back as it came, but for the id, the model
 * and the cost; its last event waits until the gateway knows the cost (docs/decisions/0002).
 */
function createResponseFrames(envelope: CompletionEnvelope, form: StreamForm, options: ResponseOptions): Frames {
  const head = toHead(envelope);
  // The same in each event, so it is serialised once.
  const tail = `,${JSON.stringify(head).slice(1)}`;
  const textTail = `}],"role":"model"},"index":0}]${tail}`;
  const rename = createRenaming(tail);
  let text = '';
  let hasBegun = false;
  /** Events come as upstream wrote them; a last chunk of the gateway's own repeats what was in them. */
  let isNative = false;
  /** Upstream's last event so far, if it may be the last of all. */
  let held: string | null = null;

  const write = (json: string): void => {
    text += (hasBegun ? form.before : form.first) + json + form.after;
    hasBegun = true;
  };
  const writer = createPartWriter(
    {
      text: (piece) => write(`{"candidates":[{"content":{"parts":[{"text":${JSON.stringify(piece)}${textTail}`),
      part: (part) => write(JSON.stringify({ candidates: [toCandidate([part])], ...head })),
      logprobs: (logprobsResult) =>
        write(JSON.stringify({ candidates: [{ ...toCandidate([{ text: '' }]), logprobsResult }], ...head })),
    },
    options,
  );
  const writeNative = (data: string): void => {
    if (held !== null) write(rename(held));
    held = null;
    if (data.includes('"finishReason"')) held = data;
    else write(rename(data));
  };
  const take = (): string => {
    const taken = text;
    text = '';
    return taken;
  };

  return {
    encode(chunks) {
      for (const { native, choices } of chunks) {
        if (native !== undefined) {
          isNative = true;
          for (const { data } of native) writeNative(data);
        } else if (!isNative) for (const choice of choices) writer.write(choice);
      }
      return take();
    },
    // No event has a place for it.
    encodeEcho: () => '',
    encodeEnd(end) {
      if (!isNative) writer.end();
      const given = isNative ? ((held === null ? {} : JSON.parse(held)) as Unchecked) : null;
      write(JSON.stringify(toLastEvent(end, head, { given, annotations: writer.annotations() })));
      return take() + form.end;
    },
    encodeError(error) {
      if (held !== null) write(rename(held));
      const json = JSON.stringify(toErrorStatus(error));
      write(json);
      // Older clients of Google's, Gemini CLI among them, pass over an event without candidates. They do find an
      // error that no event has around it, or else an event that is cut; other readers of events see neither.
      return form === EVENTS ? [take(), json] : take() + form.end;
    },
  };
}

const toCandidate = (parts: readonly object[]): object => ({ content: { parts, role: 'model' }, index: 0 });

/** How Google's events end: with these two members of the response itself, as nothing but its brace follows them. */
const OWN_TAIL = /,\s*"modelVersion":\s*"[^"\\]*",\s*"responseId":\s*"[^"\\]*"\s*\}\s*$/;
const MAX_TAIL = 200;

/**
 * Makes what gives an event of upstream the gateway's id and model, in one line. All events of a stream end with the same
 * text, which is looked for once.
 */
function createRenaming(tail: string): (data: string) => string {
  let ownTail: string | null = null;
  return (data) => {
    if (ownTail === null || !data.endsWith(ownTail)) ownTail = OWN_TAIL.exec(data.slice(-MAX_TAIL))?.[0] ?? null;
    if (ownTail !== null && !data.includes('\n') && !data.includes('\r')) return data.slice(0, -ownTail.length) + tail;
    const { modelVersion: _model, responseId: _id, ...event } = JSON.parse(data) as Unchecked;
    return JSON.stringify(event).slice(0, -1) + (Object.keys(event).length === 0 ? tail.slice(1) : tail);
  };
}
