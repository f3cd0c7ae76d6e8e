import { annotation } from '../../calls/message-places.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { toCallError } from '../../dispatch/ask-endpoint.ts';
import { raceAbort } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { guardAdded, guardText } from '../../guardrails/guard-call.ts';
import type { ChatCompletionRequest, ContentPart } from '../../wire/chat-request.ts';
import { findPlugin } from '../chat-kind.ts';
import type { ChatRun } from '../chat-run.ts';
import { annotateCompletion } from '../committed-completion.ts';
import type { WebAccess } from '../web/web-access.ts';
import { createReadByProvider, type ReadByProvider } from './read-by-provider.ts';
import { createFileRoom, type PdfEngine, readFile } from './read-file.ts';
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

/** The file parser's engines by their names in requests; `native` leaves files to the provider. */
const ENGINES: ReadonlyMap<unknown, PdfEngine | 'native'> = new Map([
  [undefined, 'default'],
  [null, 'default'],
  ['pdf-text', 'text'],
  ['cloudflare-ai', 'text'],
  ['local-ocr', 'local-ocr'],
  ['mistral-ocr', 'mistral-ocr'],
  ['native', 'native'],
]);

/** Converts a request's files to text (wire.md 9.3). One whose annotation was sent back is not read again. */
export function createFilesStage(parts: FileParts): Stage {
  return {
    plugins: ['file-parser'],
    findPluginProblem({ pdf }) {
      const { readPdf, recognisePdf } = parts.web;
      const engine = engineOf(pdf);
      const hasReaders = parts.catalog.documentReaders.length > 0;
      if (engine === 'mistral-ocr' && hasReaders) return null;
      if (readPdf === undefined) return 'is not available: no PDF reader is set up on this gateway';
      const isThere = engine !== 'mistral-ocr' && (engine !== 'local-ocr' || recognisePdf !== undefined);
      if (engine !== undefined && isThere) return null;
      const optional = [...(recognisePdf === undefined ? [] : ['local-ocr']), ...(hasReaders ? ['mistral-ocr'] : [])];
      const names = ['pdf-text', ...optional, 'native'].map((name) => `"${name}"`);
      return `has only the engines ${names.join(', ')} on this gateway`;
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
  if (!messages.some(({ content }) => Array.isArray(content) && content.some(isFile))) return false;
  const engine = askedEngine(plugins);
  if (engine === 'mistral-ocr') return true;
  if (web.readPdf === undefined) return false;
  if (engine !== 'default') return engine !== 'native';
  return plan.endpoints.every(({ modelId }) => {
    const kinds = catalog.find(modelId)?.definition.architecture?.input_modalities;
    return kinds !== undefined && !kinds.includes('file');
  });
}

/** Undefined for one that is not known. */
function engineOf(pdf: unknown): PdfEngine | 'native' | undefined {
  return ENGINES.get(typeof pdf === 'object' && pdf !== null && 'engine' in pdf ? pdf.engine : undefined);
}

const askedEngine = (plugins: ChatCompletionRequest['plugins']): PdfEngine | 'native' =>
  engineOf(findPlugin(plugins, 'file-parser')?.['pdf']) ?? 'default';

function parseFiles(next: Begin, run: ChatRun, fileParts: FileParts): Begin {
  const { caller, pipeline, guard, parts } = run;
  const { logger, platform } = parts;
  return async (turn) => {
    const { request, signal } = turn;
    const read = createReader(request, {
      ...fileParts,
      signal,
      readByProvider: createReadByProvider(run, fileParts.catalog.documentReaders),
      async guard(found) {
        const { text, refusal } = await guardText(found, { policy: caller.policy, pipeline, logger, platform });
        if (refusal !== null) throw refusal;
        return text;
      },
    });
    const parsed = await raceAbort(mapFiles(request, read.toText, signal), signal);
    const count = read.annotations.length;
    if (count > 0 && askedEngine(request.plugins) !== 'mistral-ocr') {
      const { engine, scannedPages } = read.summary();
      const scanned = scannedPages > 0 && { scanned_pages: scannedPages };
      pipeline.add({ type: 'plugin', name: 'file-parser', data: { engine, files: count, ...scanned } });
    }
    const shown = await guardAdded(read.annotations, annotation, guard, platform);
    try {
      return annotateCompletion(await next({ ...turn, request: parsed }), shown);
    } catch (thrown) {
      throw withAnnotations(toCallError(thrown, ''), shown);
    }
  };
}

const isFile = (part: ContentPart): part is FilePart => part.type === 'file';

/** Files of one request that are read at once. */
const CONCURRENCY = 3;

/** Puts texts in the places of the files of a request. None is begun once one was refused, or the call has ended. */
async function mapFiles(
  request: ChatCompletionRequest,
  toText: (part: FilePart, path: string) => Promise<ContentPart>,
  signal: AbortSignal,
): Promise<ChatCompletionRequest> {
  const contents = request.messages.map(({ content }) =>
    Array.isArray(content) && content.some(isFile) ? [...content] : null,
  );
  const places = contents
    .flatMap((content, index) => (content ?? []).map((part, place) => ({ content, part, index, place })))
    .values();
  let isOver = false;
  const work = async (): Promise<void> => {
    for (const { content, part, index, place } of places) {
      if (isOver || signal.aborted) return;
      if (content === null || !isFile(part)) continue;
      content[place] = await toText(part, `messages.${index}.content.${place}`);
    }
  };
  const fail = (error: unknown): never => {
    isOver = true;
    throw error;
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, () => work().catch(fail)));
  const messages = request.messages.map((message, index) => {
    const content = contents[index] ?? null;
    return content === null ? message : ({ ...message, content } as typeof message);
  });
  return { ...request, messages };
}

interface FileReader {
  /** Annotations of files that were read now; the caller has those that were sent back. */
  readonly annotations: readonly FileAnnotation[];
  /** What has been used up to now. */
  summary(): { readonly engine: string; readonly scannedPages: number };
  readonly toText: (part: FilePart, path: string) => Promise<ContentPart>;
}

interface ReaderOptions extends Pick<FileParts, 'platform' | 'web'> {
  readonly readByProvider: ReadByProvider;
  readonly signal: AbortSignal;
  /** Returns the text that a model may read; throws where it may read none. */
  readonly guard: (text: string) => Promise<string>;
}

function createReader(request: ChatCompletionRequest, options: ReaderOptions): FileReader {
  const { platform, guard } = options;
  const known = findKnown(request);
  const engine = askedEngine(request.plugins);
  const room = createFileRoom();
  const annotations: FileAnnotation[] = [];
  /** By their hashes and names: a file that occurs again is neither read nor charged again. */
  const texts = new Map<string, Promise<string>>();
  let scannedPages = 0;
  const read = async (data: string, hash: string, name: string | undefined, path: string): Promise<string> => {
    const text = known.get(hash);
    if (text !== undefined) return guard(text);
    const made = await readFile(data, { ...options, room, path, engine: engine === 'native' ? 'default' : engine });
    scannedPages += made.scannedPages;
    const content = `<file name=${JSON.stringify(name ?? 'file')}>\n${made.text}\n</file>`;
    annotations.push({
      type: 'file',
      file: { hash, ...(name !== undefined && { name }), content: [{ type: 'text', text: content }] },
    });
    return guard(content);
  };
  return {
    annotations,
    summary: () => ({ engine: scannedPages > 0 ? 'local-ocr' : 'pdf-text', scannedPages }),
    async toText(part, path) {
      const { file_data: data, filename } = part.file;
      // A file that only its provider has.
      if (!data) return part;
      const hash = await platform.sha256(data);
      const place = `${hash} ${filename ?? ''}`;
      const reading = texts.get(place) ?? read(data, hash, filename ?? undefined, path);
      texts.set(place, reading);
      return { type: 'text', text: await reading };
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
