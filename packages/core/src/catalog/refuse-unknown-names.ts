import { findNearestName } from '../foundation/nearest-name.ts';
import { refuseIssues } from '../foundation/parse.ts';
import type { Catalog } from './catalog.ts';

/** A list of names in a guardrail or in settings, as a change has it. */
export interface NameList {
  /** Path of the list in the body, dotted. */
  readonly path: string;
  readonly of: 'models' | 'providers';
  /** Gateways upstream get the names that no provider here has. */
  readonly goesOnward?: boolean;
  /** Absent or null when the change has no such list. */
  readonly names: readonly string[] | null | undefined;
  /** Names that stand there already; what has become unknown meanwhile may stay. */
  readonly kept: readonly string[] | null | undefined;
}

/** Limit of the names whose nearest is searched for, among all of the catalog's. */
const MAX_SUGGESTIONS = 3;
/** Maximum part of the letters of a misspelt name that may differ from the name that was meant. */
const MISSPELT_PART = 0.5;
/** Maximum number of these letters: the time to compare two names grows with it. */
const MOST_CHANGES = 12;

/**
 * Throws `invalid_request` for names that no model of the catalog and no provider has, and no gateway upstream gets: a
 * rule with a misspelt name would guard nothing. Each issue has the known name that may have been meant.
 */
export function refuseUnknownNames(lists: readonly NameList[], catalog: Catalog): void {
  const unknown = lists.flatMap((list) =>
    (list.names ?? []).flatMap((name, index) =>
      isKnown(name, list, catalog) ? [] : [{ path: `${list.path}.${index}`, of: list.of, name }],
    ),
  );
  if (unknown.length === 0) return;
  throw refuseIssues(
    unknown.map(({ path, of, name }, index) => ({
      path,
      message: describeUnknownName(name, of, index < MAX_SUGGESTIONS ? catalog : undefined),
    })),
  );
}

/** Says that a name is unknown, and with a catalog which of its names is the nearest. */
export function describeUnknownName(name: string, of: NameList['of'], catalog: Catalog | undefined): string {
  const what = of === 'models' ? 'not a model in the catalog' : 'not a known provider';
  const nearest = catalog && findNearest(name, of === 'models' ? namesOfModels(catalog) : catalog.providerNames.list());
  return `"${name}" is ${what}${nearest === undefined ? '' : `; the nearest is "${nearest}"`}`;
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  return findNearestName(name, known, Math.min(MOST_CHANGES, Math.floor(name.length * MISSPELT_PART)));
}

function isKnown(name: string, { of, kept, goesOnward }: NameList, { find, providerNames }: Catalog): boolean {
  if (kept?.includes(name)) return true;
  if (of === 'models') return find(name) !== undefined;
  if (providerNames.isKnown(name)) return true;
  return goesOnward === true && providerNames.hasGateway && providerNames.isForeign(name);
}

function namesOfModels(catalog: Catalog): readonly string[] {
  return catalog.list().flatMap(({ id, definition: { canonical_slug: slug } }) => (slug ? [id, slug] : [id]));
}
