/** The parts of `serve`, for a process that runs the gateway beside something else, as the desktop app does. */
export { compose, type Composition, type CompositionOptions } from './serve/compose.ts';
export { createLogger, type LoggerOptions, type ServerLogger } from './process/logger.ts';
export { openStore } from './open/open-store.ts';
export { planStart, type StartPlan } from './serve/plan-start.ts';
export { describeListenError } from './process/port-holder.ts';
export type {
  ModuleContext,
  ModuleDestination,
  ProviderModuleContext,
  StoreModuleContext,
} from './open/load-modules.ts';
