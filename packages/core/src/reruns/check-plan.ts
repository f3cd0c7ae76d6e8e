import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { chatKind, isOnline } from '../chat/chat-kind.ts';
import type { CallerParts } from '../dispatch/prepare-call.ts';
import { GatewayError, messageOf } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GenerationLogging } from '../generations/observer.ts';
import { worstCaseNanoUsd } from '../limits/reserve-call.ts';
import type { Provider } from '../providers/provider.ts';
import { findNamedModel, isModelName } from '../routing/resolve-models.ts';
import type { JobOwner, Store } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import type { CreateRerunRequest, RerunJudgeSpec, RerunTarget } from '../wire/reruns.ts';
import type { OwnCaseParts } from './fixture-cases.ts';
import { compilePattern, createSchemaCheck, type RerunJudge } from './judge-by-code.ts';
import { judgeTokensOf } from './judge-by-model.ts';
import { findFixedParameter } from './rerun-request.ts';

/** What a rerun is checked, estimated and created with. */
export interface CreateParts extends OwnCaseParts {
  readonly store: Pick<Store, 'generations' | 'presets' | 'reruns' | 'workspaces'>;
  readonly logging: Pick<GenerationLogging, 'inputOutput'>;
  readonly platform: Platform;
  readonly catalog: Catalog;
  readonly providers: readonly Provider[];
  readonly rerunJudges: Readonly<Record<string, RerunJudge>>;
  readonly callers: Pick<CallerParts, 'ownKeys'>;
}

/** What a rerun compares, as its caller writes it. */
export type Plan = Pick<CreateRerunRequest, 'set' | 'targets' | 'judges'>;
type CheckedPlan = Omit<Plan, 'targets'> & { readonly targets: readonly RerunTarget[] };

/** Throws `invalid_request` that names the target, the judge or the setting with which nothing could be compared. */
export async function checkPlan({ targets, judges }: CheckedPlan, owner: JobOwner, parts: CreateParts): Promise<void> {
  const { catalog, providers, rerunJudges } = parts;
  for (const [index, target] of targets.entries()) checkTarget(target, `targets.${index}`, { catalog, providers });
  for (const [index, judge] of judges.entries()) await checkJudge(judge, `judges.${index}`, { catalog, rerunJudges });
  await refuseUnstored(owner, parts);
}

/** Completions that are not stored cannot be compared, though they have been paid for. */
async function refuseUnstored(
  { workspaceId = DEFAULT_WORKSPACE_ID }: JobOwner,
  { store, logging }: Pick<CreateParts, 'store' | 'logging'>,
): Promise<void> {
  if (!logging.inputOutput) {
    throw new GatewayError(
      'invalid_request',
      'A rerun compares stored completions, and this gateway stores none: set logging.inputOutput to true',
    );
  }
  const { workspace } = (await store.workspaces.get(workspaceId)) ?? {};
  if (workspace === undefined) return;
  const { name, is_observability_io_logging_enabled: isEnabled, io_logging_sampling_rate: share } = workspace;
  if (isEnabled && share >= 1) return;
  const [what, remedy] = isEnabled
    ? [`stores only a share of ${share} of them`, 'set its io_logging_sampling_rate to 1']
    : ['stores none', 'set its is_observability_io_logging_enabled to true'];
  throw new GatewayError(
    'invalid_request',
    `A rerun compares stored completions, and the workspace "${name}", which pays, ${what}: ${remedy}, or name a key of ` +
      'another workspace as run_as_key',
  );
}

function checkTarget(
  target: RerunTarget,
  path: string,
  { catalog, providers }: Pick<CreateParts, 'catalog' | 'providers'>,
): void {
  const { model, provider } = target;
  if (!isModelName(model, catalog)) throw refuseField(`${path}.model`, `there is no model "${model}"`);
  refuseOnline(model, path);
  if (provider !== undefined && !providers.some(({ slug }) => slug === provider)) {
    throw refuseField(`${path}.provider`, `there is no provider "${provider}"`);
  }
  const fixed = findFixedParameter(target);
  if (fixed !== undefined) throw refuseField(`${path}.parameters.${fixed}`, 'cannot be set: the rerun sets it itself');
}

async function checkJudge(
  judge: RerunJudgeSpec,
  path: string,
  { catalog, rerunJudges }: Pick<CreateParts, 'catalog' | 'rerunJudges'>,
): Promise<void> {
  switch (judge.type) {
    case 'model':
      if (!isModelName(judge.model, catalog)) throw refuseField(`${path}.model`, `there is no model "${judge.model}"`);
      refuseOnline(judge.model, path);
      if (!hasBound(judge.model, catalog)) {
        throw refuseField(`${path}.model`, `what "${judge.model}" costs has no bound: its endpoints need prices`);
      }
      return;
    case 'custom':
      if (Object.hasOwn(rerunJudges, judge.name)) return;
      throw refuseField(`${path}.name`, `this gateway has no judge "${judge.name}"`);
    case 'regex':
      await compilePattern(judge.pattern).catch((error: unknown) => {
        throw refuseField(`${path}.pattern`, `cannot be used: ${messageOf(error)}`);
      });
      return;
    case 'schema_valid':
      if (judge.schema === undefined) return;
      await createSchemaCheck(judge.schema).catch((error: unknown) => {
        throw refuseField(`${path}.schema`, `cannot be checked: ${messageOf(error)}`);
      });
      return;
    case 'json_equal':
    case 'same_tool_calls':
    case 'length':
  }
}

/** What a search of the web adds to a request comes after its worst case has been held, so the cap would not hold. */
function refuseOnline(model: string, path: string): void {
  if (!isOnline({ model, messages: [] })) return;
  throw refuseField(`${path}.model`, 'must not have the variant :online: a rerun does not search the web');
}

/** Whether the cost of a judge can be held under a cap, at one endpoint at least. That of a router is known call by call. */
function hasBound(model: string, catalog: Catalog): boolean {
  const { endpoints = [] } = findNamedModel(model, catalog) ?? {};
  const bound = chatKind.boundOf({
    messages: [{ role: 'user', content: '' }],
    max_tokens: judgeTokensOf(model, catalog),
  });
  return endpoints.length === 0 || endpoints.some((endpoint) => worstCaseNanoUsd(endpoint, bound) !== null);
}
