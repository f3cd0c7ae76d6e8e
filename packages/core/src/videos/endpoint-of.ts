import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import type { VideoJob } from '../stores/video-jobs.ts';

/** The endpoint that a job was submitted to; undefined when it has gone from the configuration. */
export function endpointOf(job: VideoJob, catalog: Catalog): Endpoint | undefined {
  const endpoints = catalog.find(job.modelId)?.endpoints ?? [];
  return endpoints.find((endpoint) => endpoint.tag === job.endpointTag);
}
