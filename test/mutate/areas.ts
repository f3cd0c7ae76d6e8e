import { globSync } from 'node:fs';

/** A part of the product whose tests are tried, by what decides in it. */
export interface Area {
  readonly name: string;
  readonly sources: readonly string[];
  /** Folders with the tests that are run first, as most mutants are noticed there. */
  readonly tests: readonly string[];
}

const CORE = 'packages/core/src';

export const AREAS: readonly Area[] = [
  {
    name: 'routing',
    sources: [`${CORE}/routing/**/*.ts`, `${CORE}/dispatch/**/*.ts`],
    tests: [`${CORE}/routing`, `${CORE}/dispatch`],
  },
  { name: 'budgets', sources: [`${CORE}/limits/**/*.ts`], tests: [`${CORE}/limits`] },
  { name: 'guardrails', sources: [`${CORE}/guardrails/**/*.ts`], tests: [`${CORE}/guardrails`] },
  {
    name: 'auth',
    sources: [`${CORE}/auth/**/*.ts`, `${CORE}/http/{operation,route}.ts`],
    tests: [`${CORE}/auth`, `${CORE}/http`],
  },
  {
    name: 'continuation',
    sources: [`${CORE}/chat/{continuation,continuation-seam}.ts`, `${CORE}/formats/responses/kept-*.ts`],
    tests: [`${CORE}/chat`, `${CORE}/formats/responses`],
  },
  { name: 'edge', sources: ['packages/fixtures/src/edge/*.ts'], tests: ['packages/fixtures/src/edge'] },
];

/** Paths of an area's files, relative to the root, without its tests. */
export const listSources = ({ sources }: Area, root: string): string[] =>
  globSync([...sources], { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted();
