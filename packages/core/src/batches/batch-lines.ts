import { z } from 'zod';

import type { FileLibrary } from '../files/file-library.ts';
import type { StoredFileContent } from '../files/file-storage.ts';
import { readLines } from '../foundation/lines.ts';
import type { BatchProblem, StoredBatch, StoredBatchResult } from '../stores/batches.ts';
import type { BatchEndpoint, BatchResult } from '../wire/batches.ts';

/** One line of the file of a batch. */
const batchLineSchema = z.object({
  custom_id: z.string().min(1).max(256),
  method: z.literal('POST').optional(),
  url: z.string(),
  body: z.record(z.string(), z.unknown()),
});
type BatchLine = z.infer<typeof batchLineSchema>;

const MAX_LINES = 50_000;
const MAX_PROBLEMS = 100;

/** A line, and its place among the lines, from 0. */
export interface PlacedLine {
  readonly index: number;
  readonly line: BatchLine;
}

/** Opens the lines of a batch, whose file may have been deleted or have expired since. */
export async function openInput(
  { inputFileId: id, inputContent, workspaceId }: Pick<StoredBatch, 'inputFileId' | 'inputContent' | 'workspaceId'>,
  files: Pick<FileLibrary, 'find' | 'open'>,
): Promise<StoredFileContent> {
  return files.open(inputContent === undefined ? await files.find(id, workspaceId) : { id, content: inputContent });
}

/** Yields the lines of a file that has been checked. */
export async function* readBatch(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<PlacedLine> {
  let index = 0;
  for await (const { text } of readLines(pieces)) {
    yield { index, line: batchLineSchema.parse(JSON.parse(text)) };
    index += 1;
  }
}

/** How many lines a file has, and what is wrong with them. */
export async function checkBatch(
  pieces: AsyncIterable<Uint8Array>,
  endpoint: BatchEndpoint,
): Promise<{ readonly total: number; readonly problems: readonly BatchProblem[] }> {
  const problems: BatchProblem[] = [];
  const ids = new Set<string>();
  let total = 0;
  const note = (code: string, message: string, line: number | null): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ code, message, line });
  };
  try {
    for await (const { number, text } of readLines(pieces)) {
      total += 1;
      if (total > MAX_LINES) {
        note('too_many_tasks', `A batch has ${MAX_LINES} lines at most`, number);
        break;
      }
      const problem = findProblem(text, endpoint, ids);
      if (problem !== null) note(problem[0], problem[1], number);
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    note('invalid_json_line', error.message, null);
  }
  if (total === 0) note('empty_file', 'The file has no lines', null);
  return { total, problems };
}

function findProblem(
  text: string,
  endpoint: BatchEndpoint,
  ids: Set<string>,
): readonly [code: string, message: string] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return ['invalid_json_line', 'The line is not valid JSON'];
  }
  const { success, data, error } = batchLineSchema.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    return ['invalid_request', `${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'is wrong'}`];
  }
  if (data.url.replace(/^\/api/, '') !== endpoint) return ['invalid_url', `url: must be ${endpoint}, as of the batch`];
  if (ids.has(data.custom_id)) return ['duplicate_custom_id', 'custom_id: another line has the same'];
  ids.add(data.custom_id);
  return null;
}

/** A result as its line in the files of a batch. */
export const toResultLine = ({ id, customId, status, body, generationId }: StoredBatchResult): BatchResult => ({
  id: id.replace('batch_', 'batch_req_').replace('.', '_'),
  custom_id: customId,
  response: { status_code: status, request_id: generationId ?? '', body },
  error: null,
});

/** The line of what was not called, because the batch ended before. */
export const toMissingLine = (batch: StoredBatch, { index, line }: PlacedLine, isCancelled: boolean): BatchResult => ({
  id: `${batch.id.replace('batch_', 'batch_req_')}_${String(index).padStart(6, '0')}`,
  custom_id: line.custom_id,
  response: null,
  error: isCancelled
    ? { code: 'batch_cancelled', message: 'The batch was cancelled before this request was made' }
    : { code: 'batch_expired', message: 'This request could not be made before the batch expired' },
});

export const hasSucceeded = ({ status }: Pick<StoredBatchResult, 'status'>): boolean => status < 400;
