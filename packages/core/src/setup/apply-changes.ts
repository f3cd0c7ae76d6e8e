import { changeEndpoint } from '../catalog/compare-endpoints.ts';
import { GatewayError } from '../foundation/errors.ts';
import { checkWith } from '../foundation/parse.ts';
import type { ModelRecord, Store } from '../stores/store.ts';
import type { AppliedChanges, CatalogChangeBody } from '../wire/catalog-comparison.ts';
import { refuseField } from '../wire/fields.ts';
import {
  type ConfiguredModel,
  configuredModelSchema,
  type EndpointDefinition,
  type ModelDefinition,
} from '../wire/model-definition.ts';
import type { StoredSetup } from './compose-setup.ts';
import type { SetupChange } from './live-setup.ts';

interface ApplyParts {
  /** The models in force. */
  readonly models: readonly ModelDefinition[];
  /** Ids of models of the configuration. */
  readonly configured: ReadonlySet<string>;
  readonly rows: Pick<Store, 'models'>;
  readonly at: string;
}

/** Changes of what is set up by which the catalog says what a list says, and how they are undone. */
export interface PlannedChanges extends Pick<SetupChange, 'stored' | 'write'> {
  readonly models: AppliedChanges['models'];
}

type Rows = { readonly before: ModelRecord | undefined; readonly after: ModelRecord };

/**
 * Makes the rows that state what has changed, each laid over the built-in model of its id, as one that is edited. Throws
 * `invalid_request` for facts that no model can have and models of the configuration, and `conflict` where the catalog
 * says something else by now than what the change was compared with.
 */
export function planChanges(
  changes: readonly CatalogChangeBody[],
  stored: StoredSetup,
  { models, configured, rows, at }: ApplyParts,
): PlannedChanges {
  const ids = [...new Set(changes.map(({ model }) => model))];
  const made = ids.map((id): Rows => {
    if (configured.has(id)) throw refuseField('changes', `"${id}" is a model of the configuration, and changed there`);
    const before = stored.models.find((row) => row.id === id);
    const definition = changeModel(
      before,
      changes.filter(({ model }) => model === id),
      findModel(id, models),
    );
    const after =
      before === undefined
        ? { id, definition, createdAt: at, updatedAt: null }
        : { ...before, definition, updatedAt: at };
    return { before, after };
  });
  const afterOf = new Map(made.map(({ after }) => [after.id, after]));
  const kept = stored.models.map((row) => afterOf.get(row.id) ?? row);
  const added = made.flatMap(({ before, after }) => (before === undefined ? [after] : []));
  return {
    stored: { ...stored, models: [...kept, ...added] },
    write: () => writeAll(made, rows),
    models: made.map(({ before, after }) => ({
      id: after.id,
      before: before?.definition ?? null,
      after: after.definition,
    })),
  };
}

function findModel(id: string, models: readonly ModelDefinition[]): ModelDefinition {
  const model = models.find((one) => one.id === id);
  if (model !== undefined) return model;
  throw new GatewayError('conflict', `"${id.slice(0, 200)}" is not served any more: compare again`);
}

function changeModel(
  row: ModelRecord | undefined,
  changes: readonly CatalogChangeBody[],
  model: ModelDefinition,
): Record<string, unknown> {
  const start = row === undefined ? { id: model.id } : checkWith(configuredModelSchema, row.definition).data;
  if (start === undefined)
    throw refuseField('changes', `what is set up of "${model.id}" cannot be read: save it again`);
  const changed = changes.reduce((own: ConfiguredModel, change) => applyChange(own, change, model), start);
  const checked = checkWith(configuredModelSchema, changed);
  if (checked.success) return { ...changed };
  const [issue] = checked.error.issues;
  throw refuseField('changes', `of "${model.id}": ${issue?.path.join('.')} ${issue?.message}`);
}

function applyChange(own: ConfiguredModel, change: CatalogChangeBody, model: ModelDefinition): ConfiguredModel {
  const { provider, field, to } = change;
  const tag = change.tag ?? undefined;
  const present = model.endpoints.find((one) => isOfChange(one, change));
  if (present === undefined || !isAsCompared(change, present, model)) {
    throw new GatewayError('conflict', `${field} of "${model.id}" at ${provider} has changed since: compare again`);
  }
  if (field === 'input_modalities') {
    return { ...own, architecture: { ...own.architecture, input_modalities: to as string[] } };
  }
  const endpoints = own.endpoints ?? [];
  const known = endpoints.find((one) => isOfChange(one, change));
  const start = known ?? { provider, ...(tag !== undefined && { tag }) };
  // An override states its prices whole.
  const withPrices = field.startsWith('pricing.') ? { ...start, pricing: start.pricing ?? present.pricing } : start;
  const changed = changeEndpoint(withPrices, { field, to });
  return {
    ...own,
    endpoints: known === undefined ? [...endpoints, changed] : endpoints.map((one) => (one === known ? changed : one)),
  };
}

/** Whether the models in force still say what a change was compared with. */
export function isOpenChange(change: CatalogChangeBody, models: readonly ModelDefinition[]): boolean {
  const model = models.find(({ id }) => id === change.model);
  const endpoint = model?.endpoints.find((one) => isOfChange(one, change));
  return model !== undefined && endpoint !== undefined && isAsCompared(change, endpoint, model);
}

const isOfChange = (
  { provider, tag }: Pick<EndpointDefinition, 'provider' | 'tag'>,
  change: Pick<CatalogChangeBody, 'provider' | 'tag'>,
): boolean => provider === change.provider && (tag ?? null) === change.tag;

function isAsCompared(
  { field, from }: CatalogChangeBody,
  endpoint: EndpointDefinition,
  model: ModelDefinition,
): boolean {
  const [name = '', unit] = field.split('.');
  const prices: Readonly<Record<string, unknown>> = endpoint.pricing ?? {};
  const facts: Readonly<Record<string, unknown>> = {
    ...endpoint,
    context_length: endpoint.context_length ?? model.context_length,
    input_modalities: model.architecture?.input_modalities,
  };
  return JSON.stringify((unit === undefined ? facts[name] : prices[unit]) ?? null) === JSON.stringify(from);
}

/** Writes one row after the other. When one cannot be, those before it are as they were. */
async function writeAll(made: readonly Rows[], { models }: Pick<Store, 'models'>): Promise<void> {
  const written: Rows[] = [];
  try {
    for (const one of made) {
      await (one.before === undefined ? models.insert(one.after) : models.update(one.after.id, () => one.after));
      written.push(one);
    }
  } catch (error) {
    for (const { before, after } of written) {
      await (before === undefined ? models.remove(after.id) : models.update(after.id, () => before));
    }
    throw error;
  }
}
