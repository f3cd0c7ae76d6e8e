import { globSync } from 'node:fs';

/** A part of the product whose tests are tried, by what decides in it. */
export interface Area {
  readonly name: string;
  readonly sources: readonly string[];
  /** Folders and files with the tests that are run first, as most mutants are noticed there. */
  readonly tests: readonly string[];
  /** Tests of the whole gateway that are about the area: contract, faults, conformance. */
  readonly across?: readonly string[];
  /** Whether the tests need a real PostgreSQL and Redis, which are started for them. */
  readonly isWithEngines?: boolean;
}

const CORE = 'packages/core/src';

export const AREAS: readonly Area[] = [
  {
    name: 'routing',
    sources: [`${CORE}/routing/**/*.ts`, `${CORE}/dispatch/**/*.ts`],
    tests: [`${CORE}/routing`, `${CORE}/dispatch`],
    across: [
      `${CORE}/chat`,
      `${CORE}/embeddings`,
      `${CORE}/speech`,
      `${CORE}/api/workspace-settings`,
      'test/contract/cancelled-calls',
      'test/contract/routing-rules',
      'test/faults/072-077',
      'test/faults/221-waiting-calls',
      'test/faults/failover',
      'test/conformance/routing',
    ],
  },
  {
    name: 'budgets',
    sources: [`${CORE}/limits/*.ts`],
    tests: [`${CORE}/limits`, `${CORE}/api/rate-limits`],
    across: ['test/faults/142-146', `${CORE}/api`],
  },
  {
    name: 'shared budgets',
    sources: [`${CORE}/limits/shared/*.ts`],
    tests: [`${CORE}/limits/shared`, 'test/engines/budgets-ledger'],
    across: [
      'test/engines/budgets.test.ts',
      'test/engines/budgets-faults',
      'test/engines/budgets-leases',
      'test/engines/budgets-outage',
    ],
    isWithEngines: true,
  },
  {
    name: 'guardrails',
    sources: [`${CORE}/guardrails/**/*.ts`],
    tests: [`${CORE}/guardrails`],
    across: [
      `${CORE}/api`,
      'test/contract/filter-functions',
      'test/contract/guarded-texts',
      'test/faults/149-155',
      'test/conformance/guardrails',
    ],
  },
  {
    name: 'auth',
    sources: [`${CORE}/auth/**/*.ts`, `${CORE}/http/{operation,route}.ts`],
    tests: [`${CORE}/auth`, `${CORE}/http`],
    across: [
      `${CORE}/gateway.test.ts`,
      `${CORE}/api`,
      'test/contract/sign-in',
      'test/faults/117',
      'test/faults/133-137',
    ],
  },
  {
    name: 'continuation',
    sources: [`${CORE}/chat/{continuation,continuation-seam}.ts`, `${CORE}/formats/responses/kept-*.ts`],
    tests: ['test/contract/continued-streams', `${CORE}/chat`, `${CORE}/formats/responses`],
    across: ['test/contract/formats'],
  },
  {
    name: 'edge',
    sources: ['packages/fixtures/src/edge/*.ts'],
    tests: ['packages/fixtures/src/edge'],
    across: ['packages/fixtures/src', 'test/contract/fixture-responses'],
  },
];

/** Paths of an area's files, relative to the root, without its tests. */
export const listSources = ({ sources }: Area, root: string): string[] =>
  globSync([...sources], { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted();
