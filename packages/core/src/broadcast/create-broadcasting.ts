import type { MetricFamily } from '../foundation/host.ts';
import { createGenAiFigures } from '../generations/gen-ai-figures.ts';
import type { AuditRepository } from '../stores/audit.ts';
import type { GenerationRecord } from '../stores/store.ts';
import { createAuditSender, withAuditSender } from './audit-sender.ts';
import {
  type Broadcaster,
  type BroadcasterOptions,
  createBroadcaster,
  createDirectBroadcaster,
} from './broadcaster.ts';
import { createMetricsSender } from './metrics-sender.ts';
import { createSharedBroadcaster } from './shared-broadcaster.ts';

interface BroadcastingOptions extends BroadcasterOptions {
  readonly audit: AuditRepository | undefined;
  /** The figures of this process. */
  readonly readFamilies: () => Promise<readonly MetricFamily[]>;
  readonly instanceId: () => string;
}

/** All that goes to destinations: calls, the audit log, metrics. */
export interface Broadcasting {
  readonly broadcaster: Broadcaster;
  /** Called with each generation that was recorded here. */
  readonly listeners: readonly ((record: GenerationRecord) => void)[];
  /** Called when something was written to the audit log here. */
  wakeAudit(): void;
}

/** Creates what sends to destinations. A runtime without work between requests sends calls alone. */
export function createBroadcasting(options: BroadcastingOptions): Broadcasting {
  const { store, platform, broadcast, audit } = options;
  const doNothing = (): void => undefined;
  if (platform.isPerRequest === true) {
    const broadcaster = createDirectBroadcaster(options);
    return { broadcaster, listeners: broadcast === undefined ? [] : [broadcaster.offer], wakeAudit: doNothing };
  }
  const create = store.generations.follow === undefined ? createBroadcaster : createSharedBroadcaster;
  const ofCalls = create(options);
  if (broadcast === undefined) return { broadcaster: ofCalls, listeners: [], wakeAudit: doNothing };
  const sender = audit && createAuditSender({ ...options, broadcast, repository: audit });
  const withAudit = sender === undefined ? ofCalls : withAuditSender(ofCalls, sender);
  const figures = createGenAiFigures();
  const metrics = createMetricsSender({ ...options, broadcast, figures });
  const broadcaster: Broadcaster = {
    ...withAudit,
    async start() {
      await withAudit.start();
      await metrics.refresh();
    },
    async refresh() {
      await Promise.all([withAudit.refresh(), metrics.refresh()]);
    },
    metricsStatus: metrics.status,
    async close(limitMs) {
      await Promise.all([withAudit.close(limitMs), metrics.close()]);
    },
  };
  return { broadcaster, listeners: [ofCalls.offer, figures.note], wakeAudit: sender?.wake ?? doNothing };
}
