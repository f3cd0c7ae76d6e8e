import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { findVisibleTexts } from '../../scripts/visible-texts.ts';
import { root } from '../support/snippets/read-snippets.ts';

/** Samples, names and words of protocols, which are the same in every language. */
const ALLOWED = [
  /Screen$|Page$/,
  /^(?:Mac|Linux|Windows|Command|Super|Files|Hello!?|Playground|Workspace|Models|Bearer|ApiError|NotAnExperiment|ContentTooLong)$/,
  /^(?:a|to|in|no|and|a, b, c|data:|--undo|session_id|x-session-id|logging\.inputOutput|of|to\.|A fox in the snow, at dusk)$/,
  // What the demo has responses to.
  /^(?:Write a haiku about autumn|Tell me a joke|What is the meaning of life\?)$/,
  /^POST \/|^Authorization: Bearer/,
  // Errors that are caught, and shown in other words.
  /^Prompt and response are$/,
];
/** Says what is wrong with a file that somebody else has written, to its author. */
const FOR_AUTHORS = /experiment-schema\.ts$/;

test('a sentence, a label and a template outside of the messages are found, and codes are not', () => {
  const source = `
    const style = 'flex items-center gap-2';
    export const Part = ({ count }) => (
      <section aria-label="The keys of this gateway" className="card p-4">
        Nothing was found.
        {\`There are \${count} of them\`}
        <code data-kind="prompt_tokens">{row.id}</code>
      </section>
    );`;
  expect(findVisibleTexts('part.tsx', source).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '4 The keys of this gateway',
    '4 Nothing was found.',
    '6 There are',
    '6 of them',
  ]);
});

test('what users read is among the messages of its screen, in every language', () => {
  const files = globSync('packages/ui/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !/\.test\.|messages\.tsx?$|src[\\/]messages[\\/]|desktop-bridge/.test(file) && !FOR_AUTHORS.test(file),
  );
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    findVisibleTexts(file, readFileSync(root + file, 'utf8'))
      .filter(({ text }) => !ALLOWED.some((pattern) => pattern.test(text)))
      .map(({ line, text }) => `${file}:${line}: ${text}`),
  );
  expect(found).toEqual([]);
});
