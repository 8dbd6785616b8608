import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApiParts } from '../api/api-parts.ts';
import { serveApi } from '../api/serve.ts';
import { EmbeddedFailure } from '../embedded/embedded-error.ts';
import { makeDirectory } from '../embedded/make-directory.ts';
import { openSource } from '../git/source.ts';
import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import { OvsdbError } from '../ovsdb/index.ts';
import { renderPage, renderUnavailable } from '../page/render-page.ts';
import { STYLE } from '../page/style.ts';
import { openQueue } from '../queue/open-queue.ts';
import type { RedisOptions } from '../queue/redis-options.ts';
import { openStatusStore } from '../queue/status-store.ts';
import { startWorker } from '../queue/start-worker.ts';
import { Corrections } from '../reconcile/corrections.ts';
import { ConvergenceWatch } from '../reconcile/convergence-watch.ts';
import { DesiredRevisions } from '../reconcile/desired-revisions.ts';
import { NorthdPace } from '../reconcile/northd-pace.ts';
import { reconcileUnit } from '../reconcile/reconcile-unit.ts';
import { runController } from '../reconcile/run-controller.ts';
import type { Log } from './log.ts';
import { readRedis } from './read-redis.ts';
import { openNb } from './open-nb.ts';
import type { ServiceConfig } from './service-options.ts';

/** A running controller or worker. */
export interface Service {
  /** Looks at the repository now; nothing for a worker. */
  nudge(): void;
  /** Where its page is; undefined when it serves none. */
  readonly page: string | undefined;
  /** Lets go of everything; what is under way is finished or given up at a safe point. */
  stop(): Promise<void>;
}

/** How many units one worker works on at a time. */
const CONCURRENCY = 4;
/** How long a worker may finish what it is doing after it was told to stop, ms. */
const DRAIN_MS = 10_000;

/**
 * Starts a controller: it follows the repository, watches the Northbound, and serves the page where it is asked to. A
 * failure is a sentence that says what to do.
 */
export async function startController(
  config: ServiceConfig,
  log: Log,
  signal: AbortSignal,
): Promise<Result<Service, string>> {
  const closers: (() => Promise<unknown>)[] = [];
  const opened = await openShared(config, log, signal, closers);
  if (!opened.ok) return opened;
  const { source, northbound, store, label, redis } = opened.value;
  const queue = await openQueue({ redis, owner: config.owner, log }, signal);
  if (!queue.ok) return giveUp(closers, `${queue.error.message} ${queue.error.hint}`);
  closers.push(() => queue.value.close());
  const page = await servePage(config, { northbound, store, queue: queue.value, log });
  if (!page.ok) return giveUp(closers, page.error);
  closers.push(() => page.value.close());
  const stop = new AbortController();
  const controller = runController(
    {
      owner: config.owner,
      url: label,
      source,
      northbound,
      revisions: new DesiredRevisions(source),
      queue: queue.value,
      store,
      pace: new NorthdPace(northbound, config.gatherMs),
      clock: Date.now,
      log,
      intervalMs: config.intervalMs,
      compareMs: config.compareMs,
      openFresh: (compareSignal) => openNb(config, log, compareSignal),
      random: Math.random,
    },
    stop.signal,
  );
  return ok({
    nudge: () => controller.nudge(),
    page: page.value.url,
    stop: async () => {
      stop.abort();
      await controller.stopped;
      await closeAll(closers);
    },
  });
}

/** Starts a worker: it takes units from the queue and brings each to the revision in force. */
export async function startUnitWorker(
  config: ServiceConfig,
  log: Log,
  signal: AbortSignal,
): Promise<Result<Service, string>> {
  const closers: (() => Promise<unknown>)[] = [];
  const opened = await openShared(config, log, signal, closers);
  if (!opened.ok) return opened;
  const { source, northbound, store, redis } = opened.value;
  const convergence = new ConvergenceWatch(northbound, Date.now, (error) =>
    log('status not written', { error: String(error) }),
  );
  const parts = {
    owner: config.owner,
    northbound,
    revisions: new DesiredRevisions(source),
    store,
    corrections: new Corrections(),
    convergence,
    clock: Date.now,
  };
  const worker = await startWorker({
    redis,
    owner: config.owner,
    concurrency: CONCURRENCY,
    lockMs: config.lockMs,
    run: (job, jobSignal, failures) => reconcileUnit(parts, job, jobSignal, failures),
    log,
  });
  if (!worker.ok) return giveUp(closers, `${worker.error.message} ${worker.error.hint}`);
  return ok({
    nudge: () => {},
    page: undefined,
    stop: async () => {
      await worker.value.close(DRAIN_MS);
      await convergence.close();
      await closeAll(closers);
    },
  });
}

async function servePage(
  { listen, owner }: ServiceConfig,
  parts: Pick<ApiParts, 'northbound' | 'store' | 'queue' | 'log'>,
): Promise<Result<{ readonly url: string | undefined; close(): Promise<void> }, string>> {
  if (listen === undefined) return ok({ url: undefined, close: async () => {} });
  const page = { render: renderPage, renderUnavailable, style: STYLE };
  return serveApi({ ...parts, owner, page, clock: Date.now }, listen);
}

async function openShared(
  config: ServiceConfig,
  log: Log,
  signal: AbortSignal,
  closers: (() => Promise<unknown>)[],
) {
  const prepared = await prepare(config);
  if (!prepared.ok) return prepared;
  const { ca, redis } = prepared.value;
  const source = await openSource({
    url: config.repo,
    ref: config.ref,
    path: config.path,
    store: path.join(config.state, 'git'),
    credentials: config.credentials,
    ...(ca === undefined ? {} : { ca }),
    log,
  });
  if (!source.ok) return giveUp(closers, `${source.error.message}; ${source.error.hint}`);
  closers.push(() => source.value.close());
  const store = await openStatusStore({ redis, owner: config.owner, log }, signal);
  if (!store.ok) return giveUp(closers, `${store.error.message} ${store.error.hint}`);
  closers.push(() => store.value.close());
  try {
    const northbound = await openNb(config, log, signal);
    closers.push(() => northbound.close());
    return ok({ source: source.value, store: store.value, northbound, label: source.value.label, redis });
  } catch (error) {
    if (error instanceof OvsdbError) return giveUp(closers, error.message);
    throw error;
  }
}

/** Makes the directory of our own copy and reads the certificates that are given as files. */
async function prepare({
  state,
  gitCaFile,
  redis: url,
  redisCaFile,
}: ServiceConfig): Promise<
  Result<{ readonly ca: string | undefined; readonly redis: RedisOptions }, string>
> {
  const redis = await readRedis(url, redisCaFile);
  if (!redis.ok) return redis;
  try {
    makeDirectory(path.join(state, 'git'));
    const ca = gitCaFile === undefined ? undefined : await readFile(gitCaFile, 'utf8');
    return ok({ ca, redis: redis.value });
  } catch (error) {
    if (error instanceof EmbeddedFailure) return fail(`${error.error.message}; ${error.error.hint}`);
    return fail(`--git-ca ${gitCaFile ?? ''} cannot be read: ${(error as Error).message}`);
  }
}

async function giveUp(closers: readonly (() => Promise<unknown>)[], reason: string) {
  await closeAll(closers);
  return fail(reason);
}

async function closeAll(closers: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}
