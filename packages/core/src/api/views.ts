import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, refuseField } from '../wire/fields.ts';
import { type ViewBody, viewContentsSchema, viewListSchema, viewResponseSchema } from '../wire/views.ts';

export interface ViewParts {
  readonly store: Pick<Store, 'settings'>;
}

/** They are one value with the settings of the account, which every process holds in memory. */
const MAX_VIEWS = 100;
const MAX_NAME = 60;

/** `GET /admin/v1/views`: the saved views of the list of generations, which all who administer share. */
export const listViews = operation<ViewParts>()({
  response: viewListSchema,
  run: ({ parts }) => ({ data: [...(parts.store.settings.get().views ?? [])] }),
});

/** `PUT /admin/v1/views/{name}`: saves a view, in place of one of the same name. */
export const putView = operation<ViewParts>()({
  params: ['name'],
  body: viewContentsSchema,
  response: viewResponseSchema,
  errors: ['conflict'],
  async run({ parts, params, body }) {
    const name = params.name.trim();
    if (name === '' || name.length > MAX_NAME) throw refuseField('name', `must have 1 to ${MAX_NAME} characters`);
    const view: ViewBody = { name, ...body };
    await parts.store.settings.update((settings) => {
      const others = withoutView(settings.views, name);
      if (others.length >= MAX_VIEWS) {
        throw new GatewayError('conflict', `There are ${MAX_VIEWS} saved views already. Delete one first.`);
      }
      return { ...settings, views: [...others, view].toSorted((a, b) => compareTexts(a.name, b.name)) };
    });
    return { data: view };
  },
});

/** `DELETE /admin/v1/views/{name}` */
export const deleteView = operation<ViewParts>()({
  params: ['name'],
  response: deletedSchema,
  async run({ parts, params: { name } }) {
    const isThere = (views: readonly ViewBody[] = []): boolean => views.some((view) => view.name === name);
    if (!isThere(parts.store.settings.get().views)) {
      throw new GatewayError('not_found', `There is no view ${JSON.stringify(name.slice(0, MAX_NAME))}`);
    }
    await parts.store.settings.update((settings) => ({ ...settings, views: withoutView(settings.views, name) }));
    return { deleted: true };
  },
});

const withoutView = (views: readonly ViewBody[] = [], name: string): ViewBody[] =>
  views.filter((view) => view.name !== name);

/** The same order in every process, whatever its language. */
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
