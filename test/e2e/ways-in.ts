import { readFileSync } from 'node:fs';

import { root } from '../support/snippets/read-snippets.ts';
import { AFTER_BUILD } from '../support/test-run/run-command-line.ts';

/** What the container runs, in the place of its folders. */
function readContainerCommand(): string {
  const dockerfile = readFileSync(`${root}Dockerfile`, 'utf8');
  const wordsOf = (instruction: string): string[] =>
    JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]') as string[];
  const words = [...wordsOf('ENTRYPOINT'), ...wordsOf('CMD')];
  return words.join(' ').replace('packages/', `${root}packages/`).replace(' /data', ' data');
}

/** Command lines that the gateway is started with, by what people call them. */
export const WAYS_IN: Readonly<Record<string, string>> = {
  'npm start': AFTER_BUILD,
  'serve, told nothing': 'model-gateway serve',
  'the demo': 'model-gateway serve --demo',
  'no demo': 'model-gateway serve --no-demo',
  'the command of the container': readContainerCommand(),
};
