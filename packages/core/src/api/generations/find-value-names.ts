import type { GenerationSplit } from '../../wire/generation-list.ts';
import type { GenerationParts } from './generation-parts.ts';

/** Names for people of the values of a split: those of keys and members. Other values are names themselves. */
export async function findValueNames(
  split: GenerationSplit,
  values: readonly string[],
  { findKeyNames, members }: Pick<GenerationParts, 'findKeyNames' | 'members'>,
): Promise<Record<string, string>> {
  if (split === 'key') return findKeyNames(new Set(values));
  if (split !== 'member') return {};
  const names: Record<string, string> = {};
  for (const id of values) {
    const member = await members.get(id);
    if (member === undefined) continue;
    const name = [member.first_name, member.last_name].filter(Boolean).join(' ') || member.email;
    if (name !== '') names[id] = name;
  }
  return names;
}
