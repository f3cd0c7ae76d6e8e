import process from 'node:process';

import type { Reporter, SerializedError, TestModule, TestSuite, Vitest } from 'vitest/node';

import { runBeside, type RunningBeside } from './run-beside.ts';

/**
 * Ends a run with `N passed, N failed, N skipped`, alone on its line, for people and programs that
 * only want the sum. Tests that passed at their second try alone are named before it.
 *
 * Skipped and to-do tests are counted apart, never as passed. A file or a suite that fails outside
 * any test (it does not load, a hook throws) counts as one failure, and so does an unhandled error,
 * so that the line never says `0 failed` after a run that failed. So does the check, a command that
 * runs beside the tests; what it printed comes before the line when it has failed.
 */
export function createClosingLineReporter(check?: string): Reporter {
  let vitest: Vitest | undefined;
  let checking: RunningBeside | undefined;

  return {
    onInit(instance) {
      vitest = instance;
      if (check !== undefined) checking = runBeside(check);
    },
    async onTestRunEnd(testModules, unhandledErrors, reason) {
      if (reason === 'interrupted') checking?.stop();
      const failure = reason === 'interrupted' ? undefined : await checking?.failure;
      if (failure !== undefined) {
        process.exitCode = 1;
        vitest?.logger.log(`${failure}\n${check} failed: see above\n`);
      }
      for (const name of namesOfSecondTries(testModules)) vitest?.logger.log(`Passed at its second try: ${name}`);
      vitest?.logger.log(toClosingLine(testModules, unhandledErrors, failure === undefined ? 0 : 1));
    },
  };
}

function namesOfSecondTries(testModules: readonly TestModule[]): string[] {
  return testModules.flatMap((testModule) =>
    [...testModule.children.allTests('passed')]
      .filter((test) => test.diagnostic()?.flaky === true)
      .map((test) => `${testModule.relativeModuleId} > ${test.fullName}`),
  );
}

function toClosingLine(
  testModules: readonly TestModule[],
  unhandledErrors: readonly SerializedError[],
  failedChecks: number,
): string {
  let passed = 0;
  let failed = unhandledErrors.length + failedChecks;
  let skipped = 0;

  for (const testModule of testModules) {
    if (hasOwnError(testModule)) failed += 1;
    for (const suite of testModule.children.allSuites()) {
      if (hasOwnError(suite)) failed += 1;
    }
    for (const test of testModule.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      else if (state === 'failed') failed += 1;
      else skipped += 1;
    }
  }

  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function hasOwnError(task: TestModule | TestSuite): boolean {
  return task.errors().length > 0;
}
