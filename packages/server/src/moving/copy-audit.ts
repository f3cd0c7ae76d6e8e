import process from 'node:process';

import { type AuditRecord, type AuditRepository, type AuditVerification, verifyChain } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';

const BATCH = 500;

/**
 * Moves the audit log as it is, so that the chain can still be checked: all of it, or what came since the last time.
 * A log that is not whole, or a target with a log of its own, stays as it is; says so, as the old one must be kept then.
 */
export async function copyAudit(from: AuditRepository | undefined, to: AuditRepository | undefined): Promise<void> {
  if (from === undefined || to?.adopt === undefined) return;
  const { sha256 } = createNodePlatform();
  const found = await verifyChain(from.read(), sha256);
  if (found.problem !== null) {
    say(
      `The audit log is not moved, because it is not whole (${found.problem.place}): run model-gateway audit verify.`,
    );
    return;
  }
  if (found.last === null) return;
  const end = await findLast(to);
  const after = end === undefined ? 0 : await findJunction(from, to, end, found);
  if (after === undefined) {
    say(
      'The audit log is not moved, because there is another one: keep the old one, or print it with model-gateway audit export.',
    );
    return;
  }
  let batch: AuditRecord[] = [];
  for await (const { text } of from.read()) {
    const record = JSON.parse(text) as AuditRecord;
    // What was appended since the check is moved the next time.
    if (record.sequence <= after || record.sequence > found.last.sequence) continue;
    batch.push(record);
    if (batch.length < BATCH) continue;
    await to.adopt(batch);
    batch = [];
  }
  if (batch.length > 0) await to.adopt(batch);
}

type Head = NonNullable<AuditVerification['last']>;

async function findLast(log: AuditRepository, through?: number): Promise<Head | undefined> {
  const before = through === undefined ? undefined : through + 1;
  return (await log.page({ filter: {}, limit: 1, before })).records[0];
}

/** The place through which both are the same chain and one of them ends there; undefined where they are two. */
async function findJunction(
  from: AuditRepository,
  to: AuditRepository,
  end: Head,
  { last }: AuditVerification,
): Promise<number | undefined> {
  const place = Math.min(end.sequence, last?.sequence ?? 0);
  const [one, other] = [await findLast(from, place), await findLast(to, place)];
  return one?.sequence === other?.sequence && one?.hash === other?.hash ? place : undefined;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);
