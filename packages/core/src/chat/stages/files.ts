import { annotation } from '../../calls/message-places.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { toCallError } from '../../dispatch/run-attempts.ts';
import { raceAbort } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { TransportError } from '../../foundation/transport.ts';
import { guardAdded, guardText } from '../../guardrails/guard-call.ts';
import type { ChatCompletionRequest, ContentPart } from '../../wire/chat-request.ts';
import { refuseField } from '../../wire/fields.ts';
import { findPlugin } from '../chat-kind.ts';
import type { ChatRun } from '../chat-run.ts';
import { annotateCompletion } from '../committed-completion.ts';
import { fetchAddress, type WebAccess } from '../web/web-access.ts';
import type { Begin, Stage } from './stage.ts';

type FilePart = Extract<ContentPart, { type: 'file' }>;

/** A file that has been read, in the form that the caller receives and may send back (wire.md 6.5, 9.3). */
interface FileAnnotation {
  readonly type: 'file';
  readonly file: { readonly hash: string; readonly name?: string; readonly content: readonly ContentPart[] };
}

export interface FileParts {
  readonly web: WebAccess;
  readonly catalog: Catalog;
  readonly platform: Pick<Platform, 'sha256'>;
}

/** Names of the file parser's engines that extract text from a PDF. */
const TEXT_ENGINES: ReadonlySet<unknown> = new Set(['pdf-text', 'cloudflare-ai', 'native', undefined, null]);

/** Converts a request's files to text (wire.md 9.3). One whose annotation was sent back is not read again. */
export function createFilesStage(parts: FileParts): Stage {
  return {
    plugins: ['file-parser'],
    findPluginProblem({ pdf }) {
      if (parts.web.readPdf === undefined) return 'is not available: no PDF reader is set up on this gateway';
      return TEXT_ENGINES.has(engineOf(pdf)) ? null : 'has only the engines "pdf-text" and "native" on this gateway';
    },
    plan: (run) => (wantsParsing(run, parts) ? { begin: (next) => parseFiles(next, run, parts) } : null),
  };
}

/**
 * Whether the files of a request are converted to text: when the plugin requires it, or by default when no model of the
 * plan is known to read files.
 */
function wantsParsing({ call: { request }, plan, onwardPlugins }: ChatRun, { catalog, web }: FileParts): boolean {
  if (onwardPlugins.some(({ id }) => id === 'file-parser')) return false;
  const { messages, plugins } = request;
  if (web.readPdf === undefined || !messages.some(({ content }) => Array.isArray(content) && content.some(isFile))) {
    return false;
  }
  const engine = engineOf(findPlugin(plugins, 'file-parser')?.['pdf']);
  if (engine === 'native') return false;
  if (engine != null) return true;
  return plan.endpoints.every(({ modelId }) => {
    const kinds = catalog.find(modelId)?.definition.architecture?.input_modalities;
    return kinds !== undefined && !kinds.includes('file');
  });
}

function engineOf(pdf: unknown): unknown {
  return typeof pdf === 'object' && pdf !== null && 'engine' in pdf ? pdf.engine : undefined;
}

function parseFiles(next: Begin, run: ChatRun, fileParts: FileParts): Begin {
  const { caller, pipeline, guard, parts } = run;
  const { logger, platform } = parts;
  return async (turn) => {
    const { request, signal } = turn;
    const read = createReader(request, {
      ...fileParts,
      signal,
      async guard(found) {
        const { text, refusal } = await guardText(found, { policy: caller.policy, pipeline, logger, platform });
        if (refusal !== null) throw refusal;
        return text;
      },
    });
    const parsed = await raceAbort(mapFiles(request, read.toText), signal);
    const count = read.annotations.length;
    if (count > 0) pipeline.add({ type: 'plugin', name: 'file-parser', data: { engine: 'pdf-text', files: count } });
    const shown = await guardAdded(read.annotations, annotation, guard, platform);
    try {
      return annotateCompletion(await next({ ...turn, request: parsed }), shown);
    } catch (thrown) {
      throw withAnnotations(toCallError(thrown, ''), shown);
    }
  };
}

const isFile = (part: ContentPart): part is FilePart => part.type === 'file';

async function mapFiles(
  request: ChatCompletionRequest,
  toText: (part: FilePart, path: string) => Promise<ContentPart>,
): Promise<ChatCompletionRequest> {
  const messages = await Promise.all(
    request.messages.map(async (message, index) => {
      const { content } = message;
      if (!Array.isArray(content) || !content.some(isFile)) return message;
      const parts = await Promise.all(
        content.map((part, place) =>
          isFile(part) ? toText(part, `messages.${index}.content.${place}`) : Promise.resolve(part),
        ),
      );
      return { ...message, content: parts } as typeof message;
    }),
  );
  return { ...request, messages };
}

interface FileReader {
  /** Annotations of files that were read now; the caller has those that were sent back. */
  readonly annotations: readonly FileAnnotation[];
  readonly toText: (part: FilePart, path: string) => Promise<ContentPart>;
}

interface ReaderOptions extends Pick<FileParts, 'platform' | 'web'> {
  readonly signal: AbortSignal;
  /** Returns the text that a model may read; throws where it may read none. */
  readonly guard: (text: string) => Promise<string>;
}

function createReader(request: ChatCompletionRequest, { platform, web, signal, guard }: ReaderOptions): FileReader {
  const known = findKnown(request);
  const annotations: FileAnnotation[] = [];
  return {
    annotations,
    async toText(part, path) {
      const { file_data: data, filename } = part.file;
      // A file that only its provider has.
      if (!data) return part;
      const hash = await platform.sha256(data);
      const text = known.get(hash);
      if (text !== undefined) return { type: 'text', text: await guard(text) };
      const name = filename ?? undefined;
      const read = await readFile(data, { path, web, signal });
      const content = `<file name=${JSON.stringify(name ?? 'file')}>\n${read}\n</file>`;
      annotations.push({
        type: 'file',
        file: { hash, ...(name !== undefined && { name }), content: [{ type: 'text', text: content }] },
      });
      return { type: 'text', text: await guard(content) };
    },
  };
}

/** Finds the texts of files that earlier completions have read, by their hash. */
function findKnown({ messages }: ChatCompletionRequest): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const { type, file } of message.annotations ?? []) {
      if (type !== 'file' || typeof file !== 'object' || file === null) continue;
      const { hash, content } = file as { readonly hash?: unknown; readonly content?: unknown };
      if (typeof hash === 'string' && Array.isArray(content)) known.set(hash, textOf(content as unknown[]));
    }
  }
  return known;
}

function textOf(parts: readonly unknown[]): string {
  return parts
    .map((part) => (typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : ''))
    .join('\n');
}

/** Included so that the files need not be read again when the caller repeats the request. */
function withAnnotations(error: GatewayError, annotations: readonly FileAnnotation[]): GatewayError {
  if (annotations.length === 0 || error.code === 'internal') return error;
  return new GatewayError(error.code, error.message, {
    cause: error.cause,
    metadata: { ...error.metadata, file_annotations: annotations },
    retryAfterSeconds: error.retryAfterSeconds,
    upstreamStatus: error.upstreamStatus,
  });
}

interface FileSource {
  /** Path of the file in the request. */
  readonly path: string;
  readonly web: WebAccess;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_CHARACTERS = 2_000_000;

/** Reads the text of a file, given as a data URL or an address. Throws `invalid_request` that says where it stands. */
async function readFile(data: string, source: FileSource): Promise<string> {
  const { type, bytes } = data.startsWith('data:') ? decodeDataUrl(data, source) : await download(data, source);
  const text = isPdf(type, bytes) ? await readPdf(bytes, source) : readPlain(type, bytes, source);
  if (text.length > MAX_CHARACTERS) throw refusal(source, 'contains more text than can be read');
  return text;
}

interface FileBytes {
  readonly type: string;
  readonly bytes: Uint8Array;
}

function decodeDataUrl(data: string, source: FileSource): FileBytes {
  const [, type = '', encoding, body = ''] = /^data:([^;,]*)[^,]*?(;base64)?,([^]*)$/i.exec(data) ?? [];
  try {
    if (encoding === undefined) return { type, bytes: new TextEncoder().encode(decodeURIComponent(body)) };
    return { type: type.toLowerCase(), bytes: Uint8Array.from(atob(body), (character) => character.charCodeAt(0)) };
  } catch {
    throw refusal(source, 'is not a data URL that can be decoded');
  }
}

async function download(address: string, { path, web, signal }: FileSource): Promise<FileBytes> {
  if (web.transport === undefined || !/^https?:\/\//i.test(address)) {
    throw refusal({ path }, 'must be a data URL' + (web.transport === undefined ? '' : ' or an http(s) address'));
  }
  try {
    const { contentType, bytes } = await fetchAddress(address, {
      transport: web.transport,
      signal,
      maxBytes: MAX_BYTES,
    });
    return { type: contentType, bytes };
  } catch (error) {
    if (error instanceof TransportError) throw refusal({ path }, `could not be fetched: ${error.message}`);
    throw error;
  }
}

const isPdf = (type: string, bytes: Uint8Array): boolean =>
  type.startsWith('application/pdf') || String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-';

async function readPdf(bytes: Uint8Array, source: FileSource): Promise<string> {
  const pages = await source.web.readPdf?.(bytes).catch((error: unknown) => {
    if (error instanceof GatewayError) throw refusal(source, `cannot be read. ${error.message}`);
    throw refusal(source, 'is not a PDF that can be read');
  });
  return (pages ?? []).join('\n\n');
}

function readPlain(type: string, bytes: Uint8Array, source: FileSource): string {
  if (!/^(text\/|application\/([\w.-]+\+)?(json|xml))/.test(type)) {
    throw refusal(source, 'is neither a PDF nor text; other files cannot be read');
  }
  return new TextDecoder().decode(bytes);
}

function refusal({ path }: Pick<FileSource, 'path'>, reason: string): GatewayError {
  return refuseField(`${path}.file.file_data`, reason);
}
