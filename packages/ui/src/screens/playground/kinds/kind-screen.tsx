import type { Model } from '@model-gateway/core/wire';
import type { ReactNode } from 'react';

import type { Caller } from '../../../api/call-api.ts';
import { embeddingsSpec } from './embeddings-spec.tsx';
import { KindBench } from './kind-bench.tsx';
import { createKindRuns } from './kind-runs.ts';
import type { BenchKind, KindSpec } from './kind-spec.ts';
import { moderationSpec } from './moderation-spec.tsx';
import { rerankSpec } from './rerank-spec.tsx';
import { speechSpec } from './speech-spec.tsx';
import { transcriptionSpec } from './transcription-spec.tsx';

interface KindScreenProps {
  readonly kind: BenchKind;
  readonly caller: Caller;
  readonly models: readonly Model[];
  readonly named: string | undefined;
}

type Bench = (props: Omit<KindScreenProps, 'kind'>) => ReactNode;

/** A kind with what was entered and has come, which stays while one looks at other pages. */
function toBench<Draft, Result>(spec: KindSpec<Draft, Result>): Bench {
  const runs = createKindRuns<Draft, Result>(spec.firstDraft());
  return (props) => <KindBench spec={spec} runs={runs} {...props} />;
}

const BENCHES: Readonly<Record<BenchKind, Bench>> = {
  speech: toBench(speechSpec),
  transcription: toBench(transcriptionSpec),
  embeddings: toBench(embeddingsSpec),
  rerank: toBench(rerankSpec),
  moderation: toBench(moderationSpec),
};

/** The workbench of a kind that is no chat. */
export function KindScreen({ kind, ...props }: KindScreenProps) {
  const Chosen = BENCHES[kind];
  return <Chosen key={kind} {...props} />;
}
