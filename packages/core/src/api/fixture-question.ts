import type { SavedFixture } from '../wire/fixtures.ts';

/** What a case asks, but for the form of its response: cases are found by it, so that a second one would never be. */
export function toFixtureQuestion({ path, files }: Pick<SavedFixture, 'path' | 'files'>): string {
  const text = files.find(({ name }) => name === 'request.json')?.text ?? '{}';
  const { stream: _, stream_options: __, ...question } = JSON.parse(text) as Record<string, unknown>;
  return `${path.slice(0, path.lastIndexOf('/'))} ${JSON.stringify(question)}`;
}
