import type { GenerationRecord } from '../../stores/store.ts';
import type { GenerationContent } from '../../wire/generation.ts';

/** Members of a message that describe it and are not written text. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['role', 'type']);

/** Whether a record itself holds the text: in its ids, its app or its user. `text` is in lower case. */
export function isInRecord(text: string, { generation }: GenerationRecord): boolean {
  const { id, request_id, upstream_id, session_id, external_user, origin, user_agent, model, provider_name } =
    generation;
  const fields = [id, request_id, upstream_id, session_id, external_user, origin, user_agent, model, provider_name];
  return fields.some((field) => field?.toLowerCase().includes(text) === true);
}

/** Whether the request or the completion contains the text, which is in lower case. */
export function isInContent(text: string, { input, output, error }: GenerationContent): boolean {
  return isIn(text, input) || isIn(text, output) || isIn(text, error?.message);
}

function isIn(text: string, value: unknown): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (Array.isArray(value)) return value.some((item) => isIn(text, item));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => !NOT_WRITTEN.has(name) && isIn(text, member));
}
