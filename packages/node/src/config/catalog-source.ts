import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { suggestName } from '@model-gateway/core';

import type { ConfigIssue } from './config-errors.ts';
import type { ConfigFile } from './config-schema.ts';

type CatalogUpdate = NonNullable<ConfigFile['catalog']['update']>;

interface SourceCheck {
  /** Slugs of all providers of the file. */
  readonly slugs: readonly string[];
  /** Where relative paths begin. */
  readonly dir: string;
}

const FROM = 'catalog.update.from';
const PROVIDER = 'catalog.update.provider';

const isAddress = (from: string): boolean => /^https?:\/\//.test(from);

/** A file in this directory is named with its ending, and a slug has neither dots nor slashes, or is one of the file. */
const isFile = (from: string, slugs: readonly string[]): boolean =>
  !isAddress(from) && !slugs.includes(from) && /[./\\]/.test(from);

/** What is wrong with the file of a scheduled comparison: every one of them would fail, out of sight. */
export function checkCatalogSource(update: CatalogUpdate | null, { slugs, dir }: SourceCheck): ConfigIssue[] {
  const { from, provider } = update ?? {};
  if (from === undefined || !isFile(from, slugs)) return [];
  const problem = findFileProblem(resolve(dir, from));
  return [
    ...(problem === undefined ? [] : [{ path: FROM, message: problem }]),
    ...(provider === undefined
      ? [{ path: PROVIDER, message: 'is missing: a list does not say whose prices it states' }]
      : []),
  ];
}

/** Providers that the file does not have. One that is set up in the UI may be meant, which only the store knows. */
export function listUnknownSources(update: CatalogUpdate | null, { slugs }: Pick<SourceCheck, 'slugs'>): ConfigIssue[] {
  const { from, provider } = update ?? {};
  const named = [
    { path: FROM, slug: from === undefined || isAddress(from) || isFile(from, slugs) ? undefined : from },
    { path: PROVIDER, slug: provider },
  ];
  return named.flatMap(({ path, slug }) => {
    if (slug === undefined || slugs.includes(slug)) return [];
    const near = suggestName(slug, slugs);
    const meant = near === undefined ? '' : `. Did you mean "${near}"?`;
    const message = `names "${slug}", which is no provider of this file: it works once the UI has set it up${meant}`;
    return [{ path, message }];
  });
}

function findFileProblem(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return `${path} is not a file with a list of models`;
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return `there is no file ${path}. Name a provider, the address of a list of models, or a file with one`;
    }
    return `the file ${path} cannot be read (${code ?? 'unknown error'})`;
  }
}

/** The section with the path of a file made absolute, by which it is told from a provider. */
export function toCatalog({ update }: ConfigFile['catalog'], { slugs, dir }: SourceCheck): ConfigFile['catalog'] {
  const from = update?.from;
  if (update === null || from === undefined || !isFile(from, slugs)) return { update };
  return { update: { ...update, from: resolve(dir, from) } };
}
