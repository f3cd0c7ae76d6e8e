import type { Catalog, CatalogModel } from '../../catalog/catalog.ts';

const ALIAS = /^~(.+\/.+)-latest$/;
/** Only numbers distinguish the members of a family: `-4.5`, `-v3`, `-2026-01-31`; `-mini` is another family. */
const VERSION = /^(-v?\d+(\.\d+)*)*$/i;

/** The model of a family created last, else of the highest version, for `~author/family-latest`; else undefined. */
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
