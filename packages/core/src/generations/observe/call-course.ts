import type { Attempt } from '../../calls/attempt.ts';
import type { CallMarks } from '../../calls/model-call.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import type { CallCourse, CourseStep } from '../../wire/generation.ts';
import type { RoutingDecision, SkipReason } from '../../wire/routing.ts';

/** A step beside the attempts, with its times on the monotonic clock. */
export interface TimedStep extends Pick<CourseStep, 'kind' | 'name'> {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly hasFailed?: boolean;
}

/** An endpoint that was passed over. */
export interface Skipped {
  readonly endpoint: Endpoint;
  readonly reason: SkipReason;
}

export interface CourseFacts {
  readonly marks: CallMarks;
  /** Beginning of the record, on the monotonic clock. */
  readonly startedAt: number;
  readonly attempts: readonly Attempt[];
  readonly steps: readonly TimedStep[] | null;
  readonly decision: RoutingDecision | null;
  readonly skipped: readonly Skipped[] | null;
}

/** A loop of tools may take many. */
const MAX_STEPS = 100;

/** Converts the times of a call that has ended to the form that is stored with its content. */
export function toCallCourse({ marks, startedAt, attempts, steps, decision, skipped }: CourseFacts): CallCourse {
  const course: CallCourse = {
    before_ms: toBefore(marks, startedAt),
    attempts_ms: attempts.map((attempt) => toMs(startedAt, attempt.startedAt)),
  };
  if (steps !== null) course.steps = steps.slice(0, MAX_STEPS).map((step) => toStep(step, startedAt));
  if (decision !== null) course.decision = skipped === null ? decision : withSkipped(decision, skipped);
  return course;
}

/** The steps before a call was admitted, at `admittedAt`. */
export function toBefore(marks: CallMarks, admittedAt: number): CallCourse['before_ms'] {
  const { receivedAt, readAt, guardedAt, plannedAt } = marks;
  return {
    request: toMs(receivedAt, readAt),
    guardrails: toMs(readAt, guardedAt),
    routing: toMs(guardedAt, plannedAt),
    rate_limits: toMs(plannedAt, admittedAt),
  };
}

const toMs = (from: number, to: number): number => Math.max(0, Math.round(to - from));

function toStep({ kind, name, startedAt, endedAt, hasFailed }: TimedStep, callStartedAt: number): CourseStep {
  const step: CourseStep = { kind, name, at_ms: toMs(callStartedAt, startedAt), took_ms: toMs(startedAt, endedAt) };
  return hasFailed === true ? { ...step, has_failed: true } : step;
}

/** An endpoint may be passed over in one turn of a call and called in another; the first reason stands. */
function withSkipped(decision: RoutingDecision, skipped: readonly Skipped[]): RoutingDecision {
  return {
    ...decision,
    candidates: decision.candidates.map((candidate) => {
      const found = skipped.find(
        ({ endpoint }) => endpoint.tag === candidate.provider && endpoint.modelId === candidate.model,
      );
      return found === undefined ? candidate : { ...candidate, skipped: found.reason };
    }),
  };
}
