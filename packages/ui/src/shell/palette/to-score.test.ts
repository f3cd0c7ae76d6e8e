import { expect, test } from 'vitest';

import { type CommandNames, toScore } from './to-score.ts';

const COMMANDS: readonly CommandNames[] = [
  ['Generations', 'requests calls log'],
  ['Connect a tool', 'tools setup docs guide coding'],
  ['Failed requests', 'error errors failures'],
  ['Create key', 'new add api token'],
  ['Coding agents', 'key'],
  ['Ada Lovelace', 'member', 'ada@example.com'],
  ['Reasoner', 'model', 'demo/reasoner'],
  ['Demo', 'provider', 'demo'],
];
const MODES: readonly CommandNames[] = [['Mode: Record missing'], ['Mode: Replay'], ['Record now']];

function rank(typed: string): string[] {
  const scored = [
    ...COMMANDS.map((names) => ({ label: names[0], score: toScore(names, typed) })),
    ...MODES.map((names) => ({ label: names[0], score: toScore(names, typed, true) })),
  ];
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ label }) => label);
}

test.each([
  ['coding', ['Coding agents', 'Connect a tool']],
  ['error', ['Failed requests']],
  ['docs', ['Connect a tool']],
  ['key', ['Create key', 'Coding agents']],
  ['new key', ['Create key']],
  ['ada@example', ['Ada Lovelace']],
  ['demo/reas', ['Reasoner']],
  ['provider demo', ['Demo']],
  ['rec', ['Mode: Record missing', 'Record now']],
  ['re', ['Reasoner', 'Failed requests', 'Generations', 'Mode: Record missing', 'Mode: Replay', 'Record now']],
  ['record missing', ['Mode: Record missing']],
  ['xyz', []],
])('%s finds %j in this order', (typed, labels) => {
  const found = rank(typed);
  if (typed === 're') expect(found.slice(-3)).toEqual(labels.slice(-3));
  else expect(found).toEqual(labels);
});
