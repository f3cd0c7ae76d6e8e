import type { Policy } from '../../../guardrails/policy.ts';
import { GatewayError } from '../../../foundation/errors.ts';
import { guardAdded } from '../../../guardrails/guard-added.ts';
import type { RoutePlan } from '../../../routing/plan-route.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ChatCompletionRequest } from '../../../wire/chat/chat-completion.ts';
import type { ContentPart } from '../../../wire/chat/chat-message.ts';
import { annotateAnswer } from '../annotate-completion.ts';
import { toCallError } from '../../../dispatch/call-errors.ts';
import { guardText } from '../../guard-text.ts';
import type { PipelineStage } from '../../../wire/chat/pipeline-stage.ts';
import { findPlugin } from '../../plugins.ts';
import { raceAbort } from '../../../foundation/race-abort.ts';
import { readFile } from './read-file.ts';
import type { BeginAnswer } from '../../../dispatch/run-attempts.ts';

type FilePart = Extract<ContentPart, { type: 'file' }>;

/** A file that has been read, as the caller is told of it and may hand it back (api reference 6.5, 9.3). */
interface FileAnnotation {
  readonly type: 'file';
  readonly file: { readonly hash: string; readonly name?: string; readonly content: readonly ContentPart[] };
}

export interface FileParsing {
  readonly policy: Policy | null;
  readonly pipeline: PipelineStage[];
}

/**
 * Whether the files of a request are to be made text: when the plugin says so, or by default when every model that may
 * answer is known to read none.
 */
export function wantsParsing(
  { messages, plugins }: ChatCompletionRequest,
  { endpoints }: RoutePlan,
  { catalog, web }: Runtime,
): boolean {
  if (web.readPdf === undefined || !messages.some(({ content }) => Array.isArray(content) && content.some(isFile))) {
    return false;
  }
  const pdf = findPlugin(plugins, 'file-parser')?.['pdf'];
  const engine = typeof pdf === 'object' && pdf !== null && 'engine' in pdf ? pdf.engine : null;
  if (engine === 'native') return false;
  if (engine != null) return true;
  return endpoints.every(({ modelId }) => {
    const kinds = catalog.find(modelId)?.definition.architecture?.input_modalities;
    return kinds !== undefined && !kinds.includes('file');
  });
}

/** Makes the files of a request text before a model is asked. A file whose annotation came back is not read again. */
export function parseFiles(begin: BeginAnswer, { policy, pipeline }: FileParsing): BeginAnswer {
  return async (attempts) => {
    const { request, runtime, signal } = attempts;
    const read = createReader(request, {
      runtime,
      signal,
      guard(found) {
        const { text, refusal } = guardText(found, policy, { logger: runtime.logger, pipeline });
        if (refusal !== null) throw refusal;
        return text;
      },
    });
    const parsed = await raceAbort(mapFiles(request, read.toText), signal);
    const count = read.annotations.length;
    if (count > 0) pipeline.push({ type: 'plugin', name: 'file-parser', data: { engine: 'pdf-text', files: count } });
    const told = guardAdded(read.annotations, attempts.guard);
    try {
      return annotateAnswer(await begin({ ...attempts, request: parsed }), told);
    } catch (thrown) {
      throw withAnnotations(toCallError(thrown, ''), told);
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
  /** Of files that were read; those that came back are the caller's already. */
  readonly annotations: readonly FileAnnotation[];
  readonly toText: (part: FilePart, path: string) => Promise<ContentPart>;
}

interface ReaderOptions {
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  /** What a model may read of a text; throws where it may read none. */
  readonly guard: (text: string) => string;
}

function createReader(request: ChatCompletionRequest, { runtime, signal, guard }: ReaderOptions): FileReader {
  const known = findKnown(request);
  const annotations: FileAnnotation[] = [];
  return {
    annotations,
    async toText(part, path) {
      const { file_data: data, filename } = part.file;
      // A file that only its provider has.
      if (!data) return part;
      const hash = await runtime.platform.sha256(data);
      const text = known.get(hash);
      if (text !== undefined) return { type: 'text', text: guard(text) };
      const name = filename ?? undefined;
      const read = await readFile(data, { path, web: runtime.web, signal });
      const content = `<file name=${JSON.stringify(name ?? 'file')}>\n${read}\n</file>`;
      annotations.push({
        type: 'file',
        file: { hash, ...(name !== undefined && { name }), content: [{ type: 'text', text: content }] },
      });
      return { type: 'text', text: guard(content) };
    },
  };
}

/** Texts of files that earlier answers have read, by their hash. */
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

/** So that a caller who tries again need not have its files read again. */
function withAnnotations(error: GatewayError, annotations: readonly FileAnnotation[]): GatewayError {
  if (annotations.length === 0 || error.code === 'internal') return error;
  return new GatewayError(error.code, error.message, {
    cause: error.cause,
    metadata: { ...error.metadata, file_annotations: annotations },
    retryAfterSeconds: error.retryAfterSeconds,
    upstreamStatus: error.upstreamStatus,
  });
}
