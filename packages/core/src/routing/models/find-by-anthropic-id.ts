import type { Catalog, CatalogModel } from '../../catalog/catalog.ts';

const AUTHOR = 'anthropic/';
/** What clients add to an id: the date of a model or `latest`, and a mark of their own for a longer window. */
const ADDITIONS = /^(?<name>.+?)(?:-(?:20\d{6}|latest))?(?:\[\w+\])?$/;

/**
 * The model that Anthropic's own clients mean by an id of its API: `claude-opus-4-8`, `claude-opus-4-8-20260101`,
 * `claude-opus-4-8[1m]` for `anthropic/claude-opus-4.8`. Undefined for anything else.
 */
export function findByAnthropicId(slug: string, catalog: Catalog): CatalogModel | undefined {
  const given = slug.startsWith(AUTHOR) ? slug.slice(AUTHOR.length) : slug;
  if (!given.startsWith('claude-')) return undefined;
  const { name = given } = ADDITIONS.exec(given)?.groups ?? {};
  const known = catalog.find(name) ?? catalog.find(AUTHOR + name);
  return known ?? catalog.list().find(({ id }) => id.startsWith(AUTHOR) && toAnthropicId(id) === name);
}

const toAnthropicId = (id: string): string => id.slice(AUTHOR.length).replaceAll('.', '-');
