import type { ModelEndpoint } from '../../wire/models.ts';
import type { HealthReport, Standing } from './endpoint-health.ts';

/**
 * The wire's number for each standing. The wire promises only that 0 is normal and the others are not; the other numbers
 * are the gateway's choice.
 */
const STATUS_OF_STANDING: Readonly<Record<Standing, number>> = {
  steady: 0,
  unstable: -1,
  'half-open': -2,
  resting: -3,
  failing: -4,
  open: -5,
};

type HealthFields = Pick<
  ModelEndpoint,
  'status' | 'uptime_last_5m' | 'uptime_last_30m' | 'uptime_last_1d' | 'latency_last_30m' | 'throughput_last_30m'
>;

/** An endpoint's health as the public list shows it: per cent, milliseconds and tokens a second; null without calls. */
export function toHealthFields(report: HealthReport): HealthFields {
  return {
    status: STATUS_OF_STANDING[report.standing],
    uptime_last_5m: report.uptime5m,
    uptime_last_30m: report.uptime30m,
    uptime_last_1d: report.uptime1d,
    latency_last_30m: report.latency30m,
    throughput_last_30m: report.throughput30m,
  };
}
