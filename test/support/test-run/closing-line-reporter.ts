import process from 'node:process';

import type { Reporter, TestModule, Vitest } from 'vitest/node';

import { keepOutcome, type RunOutcome, toClosingLine } from './outcome.ts';
import { runBeside, type RunningBeside } from './run-beside.ts';

/**
 * Ends a run with `N passed, N failed, N skipped`, alone on its line, for people and programs that
 * only want the sum, and keeps it for `second-try.ts`.
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
      const outcome = toOutcome(testModules, unhandledErrors.length + (failure === undefined ? 0 : 1));
      if (reason !== 'interrupted') keepOutcome(outcome);
      vitest?.logger.log(toClosingLine(outcome));
    },
  };
}

/** What became of all tests, and of `elsewhere` more things that failed outside of any file. */
function toOutcome(testModules: readonly TestModule[], elsewhere: number): RunOutcome {
  let passed = 0;
  let skipped = 0;
  let failed = elsewhere;
  const failedFiles = new Map<string, RunOutcome['failedFiles'][number]>();
  for (const testModule of testModules) {
    const names: string[] = [];
    for (const part of [testModule, ...testModule.children.allSuites()]) {
      if (part.errors().length > 0) names.push(part.type === 'suite' ? part.fullName : 'the file itself');
    }
    for (const test of testModule.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      else if (state === 'failed') names.push(test.fullName);
      else skipped += 1;
    }
    failed += names.length;
    if (names.length === 0) continue;
    const { relativeModuleId: file, project } = testModule;
    failedFiles.set(file, { file, project: project.name, names });
  }
  return { passed, failed, skipped, failedFiles: [...failedFiles.values()] };
}
