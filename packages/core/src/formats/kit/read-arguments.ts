import { isRecord, type Unchecked } from '../../foundation/parse.ts';

/** The arguments of a tool call as an object. Models write some that are none; those become a member of one. */
export function readArguments(text: string): Unchecked {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : { value };
  } catch {
    return { arguments: text };
  }
}
