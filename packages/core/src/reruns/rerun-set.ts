import { kindOfRecord } from '../calls/call-kind.ts';
import { parseWith } from '../foundation/parse.ts';
import { listGenerations, toGenerationFilter } from '../generations/list-generations.ts';
import type { RerunFigures } from '../stores/reruns.ts';
import type { GenerationRecord } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import { type RerunSet, type UploadedItem, uploadedItemSchema } from '../wire/reruns.ts';
import type { CreateParts } from './check-plan.ts';
import { listOwnCases, toUploadedCases } from './fixture-cases.ts';
import { toRerunFigures } from './rerun-rows.ts';

/** An item before it has targets. */
export interface PlannedItem {
  readonly generationId: string | null;
  readonly figures: RerunFigures | null;
  readonly upload: UploadedItem | null;
}

/** The items of a set as it is now. Throws `invalid_request` for a set without any, and for unknown generations. */
export async function resolveSet(set: RerunSet, parts: CreateParts): Promise<readonly PlannedItem[]> {
  const items = await readSet(set, parts);
  if (items.length === 0) throw refuseField('set', 'no call matches it');
  return items;
}

async function readSet(set: RerunSet, parts: CreateParts): Promise<readonly PlannedItem[]> {
  if ('ndjson' in set) return parseUpload(set.ndjson);
  if ('fixture_cases' in set) return toUploadedCases(set.fixture_cases).map(toUploadItem);
  if ('fixtures' in set) return toUploadedCases(await listOwnCases(set.fixtures, parts)).map(toUploadItem);
  const records = 'filter' in set ? await findRecords(set, parts) : await getRecords(set.generation_ids, parts);
  return records.map(toItem);
}

const toUploadItem = (upload: UploadedItem): PlannedItem => ({ generationId: null, figures: null, upload });

const toItem = (record: GenerationRecord): PlannedItem => ({
  generationId: record.generation.id,
  figures: toRerunFigures(record),
  upload: null,
});

function parseUpload(ndjson: string): PlannedItem[] {
  return ndjson.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw refuseField('set.ndjson', `line ${index + 1} is not JSON`, cause);
    }
    const upload = parseWith(uploadedItemSchema, value, { within: `set.ndjson.${index}` });
    return [toUploadItem(upload)];
  });
}

async function getRecords(ids: readonly string[], { store }: CreateParts): Promise<GenerationRecord[]> {
  const records: GenerationRecord[] = [];
  for (const id of new Set(ids)) {
    const record = await store.generations.get(id);
    if (record === undefined) throw refuseField('set.generation_ids', `there is no generation ${id.slice(0, 100)}`);
    if (!isChat(record)) throw refuseField('set.generation_ids', `generation ${id} is no chat`);
    records.push(record);
  }
  return records;
}

const isChat = ({ generation }: GenerationRecord): boolean => kindOfRecord(generation) === 'chat';

const PAGE_SIZE = 200;

async function findRecords(
  { filter: asked, limit }: Extract<RerunSet, { filter: unknown }>,
  parts: CreateParts,
): Promise<GenerationRecord[]> {
  const filter = toGenerationFilter(asked, parts);
  const records: GenerationRecord[] = [];
  let before: string | undefined;
  do {
    const page = await listGenerations({ filter, limit: PAGE_SIZE, before }, parts);
    records.push(...page.records.filter(isChat));
    before = page.next ?? undefined;
  } while (before !== undefined && records.length < limit);
  return records.slice(0, limit);
}
