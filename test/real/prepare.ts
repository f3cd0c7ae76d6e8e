import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { TestProject } from 'vitest/node';

import { makeModel } from '../../packages/server/src/engine/make-model.ts';
import { startEngine } from '../../packages/server/src/engine/run-engine.ts';
import { findEngine } from './find-engine.ts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const PLACES = 16;
const FLAGS = ['--embeddings', '--pooling', 'mean', '--metrics', '--slots'];

/** The running engine, or why there is none. */
export type RealEngine =
  | { readonly url: string; readonly from: string; readonly isBinding: boolean }
  | { readonly missing: string };

declare module 'vitest' {
  export interface ProvidedContext {
    realEngine: RealEngine;
  }
}

/** Makes a model of the documentation and starts llama.cpp with it; both are gone after the run. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const command = findEngine();
  if ('missing' in command) {
    provide('realEngine', command);
    return () => Promise.resolve();
  }
  const files = readdirSync(DOCS)
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  const markdown = files.map((name) => readFileSync(`${DOCS}${name}`, 'utf8')).join('\n');
  const writeModel = (path: string): void => void makeModel(markdown, path);
  const engine = await startEngine(command, { writeModel, places: PLACES, flags: FLAGS });
  provide('realEngine', { url: engine.url, from: command.from, isBinding: command.isBinding });
  return () => engine.close();
}
