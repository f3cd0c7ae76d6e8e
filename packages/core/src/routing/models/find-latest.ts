import type { Catalog, CatalogModel } from '../../catalog/catalog.ts';

const ALIAS = /^~(.+\/.+)-latest$/;
/** Only numbers distinguish the members of a family: `-4.5`, `-v3`, `-2026-01-31`; `-mini` is another family. */
const VERSION = /^(-v?\d+(\.\d+)*)*$/i;

/**
 * The newest model of a family by its alias, `~author/family-latest`; undefined for anything else. The newest is the
 * one created last, and among equals the one with the higher version.
 */
export function findLatest(slug: string, catalog: Catalog): CatalogModel | undefined {
  const family = ALIAS.exec(slug)?.[1];
  if (family === undefined) return undefined;
  const members = catalog.list().filter(({ id }) => id.startsWith(family) && VERSION.test(id.slice(family.length)));
  return members.reduce<CatalogModel | undefined>(
    (latest, model) => (latest === undefined || isNewer(model, latest) ? model : latest),
    undefined,
  );
}

function isNewer(a: CatalogModel, b: CatalogModel): boolean {
  const [createdA, createdB] = [a.definition.created ?? 0, b.definition.created ?? 0];
  if (createdA !== createdB) return createdA > createdB;
  const [versionA, versionB] = [numbersOf(a.id), numbersOf(b.id)];
  const differs = versionA.findIndex((number, index) => number !== versionB[index]);
  return differs !== -1 && (versionA[differs] as number) > (versionB[differs] ?? -1);
}

const numbersOf = (id: string): readonly number[] => (id.match(/\d+/g) ?? []).map(Number);
