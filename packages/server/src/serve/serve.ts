import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import type { ModelDefinition } from '@model-gateway/core';

import { listSecrets } from '../open/open-secrets.ts';
import { createLogger } from '../process/logger.ts';
import { stopOnSignals } from '../process/signals.ts';
import { tuneV8 } from '../process/tune-process.ts';
import { findWorkerPlace, outliveStarter, toWorkerEvents } from '../process/worker-place.ts';
import { planStart, type ServeOptions, type Start, type StartPlan } from './plan-start.ts';
import { startGateway } from './start-gateway.ts';

/** Limit of the time that a stop waits for an unfinished start. */
const START_LIMIT_MS = 3000;
/** Time after the drain limit for closing everything, including writing files. */
const STOP_MARGIN_MS = 10_000;

/**
 * Runs the gateway until a signal ends the process. Resolves when it listens; when it cannot start, closes everything
 * and rejects.
 */
export async function serve(options: ServeOptions): Promise<void> {
  tuneV8();
  const place = options.workers > 1 ? findWorkerPlace() : null;
  const builtInModels = await loadBuiltInModels(options);
  const planAnew = (): StartPlan => planStart(options, process.env, builtInModels);
  const plan = planAnew();
  const ownerToken = `sk-gw-v1-owner-${randomBytes(32).toString('hex')}`;
  const secrets = plan.demoFixturesDir === null ? listSecrets(plan.config) : [];
  const logger = createLogger({ level: options.logLevel, secrets: [...secrets, ownerToken], worker: place?.slot });
  const closers: Start['closers'] = [];
  let isStopping = false;

  const { record, fixtures, trustsClock } = options;
  const started = startGateway({
    ...plan,
    planAnew,
    record,
    fixtures,
    trustsClock,
    logger,
    ownerToken,
    closers,
    place,
    isStopping: () => isStopping,
  });
  stopOnSignals({
    events: place === null ? process : toWorkerEvents(process),
    logger,
    limitMs: plan.config.timeouts.drainMs + STOP_MARGIN_MS,
    now: () => performance.now(),
    async stop() {
      isStopping = true;
      // Parts that are still being opened must be closed as well; but a hanging file system must not prevent the end.
      await Promise.race([started.catch(() => undefined), delay(START_LIMIT_MS, undefined, { ref: false })]);
      await closeAll(closers);
    },
    exit(code) {
      logger.flush();
      process.exit(code);
    },
  });
  if (place !== null) outliveStarter();
  try {
    await started;
  } catch (error) {
    await closeAll(closers);
    logger.flush();
    throw error;
  }
}

/** The demo has its own models, and need not wait until others are loaded. */
async function loadBuiltInModels({ demo }: ServeOptions): Promise<readonly ModelDefinition[]> {
  return demo ? [] : (await import('@model-gateway/core/catalog/built-in-models')).BUILT_IN_MODELS;
}

/** Closes the parts in reverse order, and continues after a failure; throws the first failure at the end. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
