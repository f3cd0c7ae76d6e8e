import type { EngineServer } from '../../test/engines/support/engine-server.ts';
import { type FaultProxy, startFaultProxy } from '../../test/engines/support/fault-proxy.ts';
import { type PostgresServer, runStatement, startPostgres } from '../../test/engines/support/postgres-server.ts';
import { startRedis } from '../../test/engines/support/redis-server.ts';
import { readProcessStats } from '../processes/process-stats.ts';
import type { EngineUrls } from '../targets/start-gateway.ts';
import { askRedis } from './ask-redis.ts';

/** A PostgreSQL and a Redis of this machine, started for the bench alone. */
export interface Engines {
  /** Addresses of an empty database, and of the Redis. */
  open(): Promise<EngineUrls>;
  /** The same through proxies that count the bytes. */
  openCounted(): Promise<CountedEngines>;
  /** CPU time of both so far. */
  readCpuMs(): number;
  remove(): Promise<void>;
}

export interface CountedEngines {
  readonly urls: EngineUrls;
  /** Everything that the engines have done for these addresses so far. */
  readWork(): Promise<EngineWork>;
  /** Number of generations in the database. */
  countGenerations(): Promise<number>;
}

/** What the engines have done since they were started; the difference of two readings counts. */
export interface EngineWork {
  readonly postgres: { readonly operations: number; readonly bytes: number; readonly cpuMs: number };
  readonly redis: { readonly operations: number; readonly bytes: number; readonly cpuMs: number };
  /** What the database has written to its log of changes. */
  readonly walBytes: number;
  /** What the database takes on the disk. */
  readonly diskBytes: number;
  /** How often each statement has run. */
  readonly statements: ReadonlyMap<string, number>;
}

/** Starts both, with the syncing of a database that is to keep its data. Throws where a program is missing. */
export async function startEngines(): Promise<Engines> {
  const settings = { fsync: 'on', shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.max': '5000' };
  const postgres = await startPostgres(settings);
  const proxies: FaultProxy[] = [];
  let redis: EngineServer;
  try {
    redis = await startRedis();
    await runStatement(postgres.url, 'create extension pg_stat_statements');
  } catch (error) {
    await postgres.remove();
    throw error;
  }
  const open = async (): Promise<EngineUrls> => ({ database: await postgres.createDatabase(), redis: redis.url });
  return {
    open,
    async openCounted() {
      const direct = await open();
      const [toPostgres, toRedis] = await Promise.all([startFaultProxy(postgres.port), startFaultProxy(redis.port)]);
      proxies.push(toPostgres, toRedis);
      return {
        urls: { database: toPostgres.through(direct.database), redis: toRedis.through(direct.redis) },
        readWork: () => readWork({ postgres, redis, toPostgres, toRedis, database: direct.database }),
        async countGenerations() {
          const rows = await runStatement(
            direct.database,
            'select count(*)::int as bench_count from gateway.generations',
          );
          return (rows[0] as { bench_count: number }).bench_count;
        },
      };
    },
    readCpuMs: () => cpuMsOf(postgres) + cpuMsOf(redis),
    async remove() {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await Promise.all([postgres.remove(), redis.remove()]);
    },
  };
}

interface Counted {
  readonly postgres: PostgresServer;
  readonly redis: EngineServer;
  readonly toPostgres: FaultProxy;
  readonly toRedis: FaultProxy;
  readonly database: string;
}

async function readWork({ postgres, redis, toPostgres, toRedis, database }: Counted): Promise<EngineWork> {
  const name = new URL(database).pathname.slice(1);
  // Those of the bench itself are left out.
  const rows = (await runStatement(
    postgres.url,
    `select s.query, s.calls::int as calls from pg_stat_statements s join pg_database d on d.oid = s.dbid
     where d.datname = '${name}' and s.query not like '%bench_count%'`,
  )) as { query: string; calls: number }[];
  const [written] = (await runStatement(
    postgres.url,
    `select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, pg_database_size('${name}') as disk`,
  )) as { wal: string; disk: string }[];
  const statements = new Map<string, number>();
  for (const { query, calls } of rows) statements.set(query, (statements.get(query) ?? 0) + calls);
  const commands = [...(await askRedis(redis.url, 'INFO', 'commandstats')).matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)];
  const counted = commands.filter(([, command]) => !['info', 'auth', 'hello'].includes(command ?? ''));
  const bytesOf = ({ passed }: FaultProxy): number => passed.toServer + passed.toClient;
  return {
    postgres: {
      operations: rows.reduce((sum, { calls }) => sum + calls, 0),
      bytes: bytesOf(toPostgres),
      cpuMs: cpuMsOf(postgres),
    },
    redis: {
      operations: counted.reduce((sum, [, , calls]) => sum + Number(calls), 0),
      bytes: bytesOf(toRedis),
      cpuMs: cpuMsOf(redis),
    },
    walBytes: Number(written?.wal ?? 0),
    diskBytes: Number(written?.disk ?? 0),
    statements,
  };
}

/** A server's process of one connection may end while all of them are read. */
function cpuMsOf(server: Pick<EngineServer, 'pid'>, attempts = 5): number {
  try {
    return readProcessStats(server.pid).cpuMs;
  } catch (error) {
    if (attempts === 0) throw error;
    return cpuMsOf(server, attempts - 1);
  }
}
