import type { Awaitable } from '../foundation/awaitable.ts';
import type { PromptHead, PromptMessage, StoredPromptVersion } from '../wire/prompts.ts';
import type { Repository } from './rows.ts';

/** Prompts with all their versions. The narrower question is absent where the rows are in memory. */
export interface PromptRepository extends Repository<StoredPrompt> {
  /** Oldest first. Reads no texts. */
  listHeads?(): Awaitable<readonly PromptHead[]>;
}

/** A prompt with all its versions, in their order. */
export interface StoredPrompt {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly current_version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly versions: readonly StoredPromptVersion[];
}

/** What a list shows of a prompt. */
export function toPromptHead({ versions, ...prompt }: StoredPrompt): PromptHead {
  const current = versions.find(({ version }) => version === prompt.current_version);
  return {
    ...prompt,
    version_count: versions.length,
    model: current?.model ?? null,
    variables: variablesOf(current?.messages ?? []),
  };
}

/** A name begins with a letter; spaces within the braces do not matter. */
const VARIABLE = /\{\{\s*([\p{L}_][\p{L}\p{N}_.-]{0,59})\s*\}\}/gu;

/** A text with its variables filled in; what a value holds is not looked through again. */
export const fillIn = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(VARIABLE, (whole, name: string) => values.get(name) ?? whole);

/** The names in double braces, in the order in which they first appear. */
export function variablesOf(messages: readonly Pick<PromptMessage, 'content'>[]): string[] {
  return [...new Set(messages.flatMap(({ content }) => [...content.matchAll(VARIABLE)].map(([, name = '']) => name)))];
}
