import type { SavedView } from '../../../app/preferences.ts';
import type { GenerationSearch } from '../../../features/generations/search/generation-search.ts';
import { viewsMessages } from './messages.tsx';

/** As the gateway takes it. */
export const MAX_NAME = 60;

/** The filters, the span of time and the columns under a name. What is open or compared is no part of it. */
export function toView(
  name: string,
  { open: _open, compare: _compare, tab: _tab, ...search }: GenerationSearch,
  hiddenColumns: SavedView['hiddenColumns'],
): SavedView {
  return { name, search, hiddenColumns };
}

/** The views with this one among them, in the order of their names; one of the same name is replaced. */
export function putView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...removeView(views, view.name), view].toSorted((a, b) => a.name.localeCompare(b.name));
}

export const removeView = (views: readonly SavedView[], name: string): SavedView[] =>
  views.filter((view) => view.name !== name);

/** The views with one under another name; what is wrong with the name where it cannot be had. */
export function renameView(views: readonly SavedView[], name: string, next: string): readonly SavedView[] | string {
  const view = views.find((candidate) => candidate.name === name);
  if (view === undefined || name === next) return views;
  const problem = findNameProblem(views, next);
  return problem ?? putView(removeView(views, name), { ...view, name: next });
}

/** Why a name cannot be given to a new view; undefined where it can. */
export function findNameProblem(views: readonly SavedView[], name: string): string | undefined {
  const t = viewsMessages();
  if (name.trim() === '') return t.needsName;
  return views.some((view) => view.name === name) ? t.exists(name) : undefined;
}

/** The view that shows just this, if there is one. */
export function findView(
  views: readonly SavedView[],
  search: GenerationSearch,
  hiddenColumns: SavedView['hiddenColumns'],
): SavedView | undefined {
  const current = toText(toView('', search, hiddenColumns));
  return views.find((view) => toText(view) === current);
}

function toText({ search, hiddenColumns }: SavedView): string {
  const filters = Object.entries(search).toSorted(([a], [b]) => a.localeCompare(b));
  return JSON.stringify([filters, hiddenColumns?.toSorted((a, b) => a.localeCompare(b))]);
}
