import type { RerunCompletion } from '@model-gateway/core/wire';

/** A completion as text: what it says, and then each call of a tool. */
export const toCompletionText = ({ text, tool_calls: calls }: RerunCompletion): string =>
  [text ?? '', ...calls.map(({ name, arguments: given }) => `${name}(${setOut(given)})`)]
    .filter((part) => part !== '')
    .join('\n\n');

/** JSON over lines, so that what differs is seen; what is none as it is. */
function setOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
