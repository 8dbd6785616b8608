import type { ListenAddress } from '../api/listen-address.ts';
import { parseListenAddress } from '../api/listen-address.ts';
import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import type { CommandInput, OptionSpec } from '../cli/command.ts';
import { durationOption, readDuration } from '../cli/duration-option.ts';
import { REDIS_CA_OPTION } from '../cli/store-options.ts';
import { NB_OPTIONS, OWNER_OPTION, TLS_OPTIONS, tlsFromInput } from '../cli/nb-options.ts';
import type { TlsFiles } from '../cli/parts.ts';

/** The repository to follow. */
export const SOURCE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  branch: {
    placeholder: 'NAME',
    description: 'branch to follow',
    env: 'OVN_GITOPS_BRANCH',
    fallback: 'main',
  },
  tag: { placeholder: 'NAME', description: 'tag to follow instead of a branch', env: 'OVN_GITOPS_TAG' },
  path: { placeholder: 'DIR', description: 'folder with the specs', env: 'OVN_GITOPS_PATH', fallback: '' },
  interval: durationOption('interval', {
    description: 'how often to look at the repository',
    env: 'OVN_GITOPS_INTERVAL',
    fallback: '15s',
  }),
  compare: durationOption('compare', {
    description: 'how often to compare everything with a fresh read of the Northbound',
    env: 'OVN_GITOPS_COMPARE',
    fallback: '10m',
  }),
  gather: durationOption('gather', {
    description: 'how long revisions are gathered at most while ovn-northd is busy with earlier ones',
    env: 'OVN_GITOPS_GATHER',
    fallback: '10s',
  }),
  'git-ca': {
    placeholder: 'FILE',
    description: 'CA certificates for https repositories',
    env: 'OVN_GITOPS_GIT_CA',
  },
};

/** The databases and the queue that a controller and a worker share. */
export const SERVICE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  repo: {
    placeholder: 'URL',
    description: 'repository: https://, http://, or a path; user and password come from the environment',
    env: 'OVN_GITOPS_REPO',
  },
  ...SOURCE_OPTIONS,
  state: {
    placeholder: 'DIR',
    description: 'directory for our own copy of the repository',
    env: 'OVN_GITOPS_STATE',
    fallback: '.ovn-gitops',
  },
  redis: {
    placeholder: 'URL',
    description: 'Redis: redis://HOST, rediss://HOST (TLS), redis+sentinel://HOST,HOST,HOST/NAME, or a path',
    env: 'OVN_GITOPS_REDIS',
  },
  'redis-ca': REDIS_CA_OPTION,
  ...Object.fromEntries(Object.entries(NB_OPTIONS).filter(([name]) => name === 'nb')),
  sb: {
    placeholder: 'ENDPOINT',
    description: 'Southbound, for the proof on every chassis',
    env: 'OVN_GITOPS_SB',
  },
  owner: OWNER_OPTION,
  ...TLS_OPTIONS,
};

/** Where the page and the metrics are served; without a fallback nowhere. */
export const LISTEN_OPTION: OptionSpec = {
  placeholder: 'HOST:PORT|PATH',
  description: 'serve page, JSON and metrics there, read-only; port 0 is a free one, PATH a unix socket',
  env: 'OVN_GITOPS_LISTEN',
};

/** How long a unit stays with a worker that died. */
export const LOCK_OPTION: OptionSpec = durationOption('lock', {
  description: 'how long a unit stays with a worker that died',
  env: 'OVN_GITOPS_LOCK',
  fallback: '20s',
});

/** Everything a controller or a worker has to know. */
export interface ServiceConfig {
  readonly repo: string;
  readonly ref: { readonly branch: string } | { readonly tag: string };
  readonly path: string;
  readonly intervalMs: number;
  readonly compareMs: number;
  readonly gatherMs: number;
  readonly lockMs: number;
  readonly gitCaFile: string | undefined;
  readonly credentials: { readonly username?: string; readonly password?: string };
  readonly state: string;
  readonly redis: string;
  readonly redisCaFile: string | undefined;
  readonly northbound: readonly string[];
  readonly southbound: readonly string[] | undefined;
  readonly owner: string;
  readonly tls: TlsFiles | undefined;
  /** Where the controller serves page and metrics. */
  readonly listen: ListenAddress | undefined;
}

/** What `up` puts in when it runs the servers itself. */
export type ServiceDefaults = Partial<Pick<ServiceConfig, 'repo' | 'redis' | 'northbound' | 'southbound'>>;

/** Reads the configuration from options and environment; what is missing or wrong is one sentence. */
export function readConfig(
  input: CommandInput,
  env: Readonly<Record<string, string | undefined>>,
  defaults: ServiceDefaults = {},
): Result<ServiceConfig, string> {
  const repo = defaults.repo ?? input.text('repo');
  const redis = defaults.redis ?? input.text('redis');
  const northbound = defaults.northbound ?? endpoints(input.text('nb'));
  if (repo === undefined) return fail('say which repository to follow: --repo URL');
  if (redis === undefined) return fail('say which Redis to use: --redis URL');
  if (northbound === undefined) return fail('say which Northbound to use: --nb ENDPOINT');
  const tls = tlsFromInput(input);
  if (!tls.ok) return tls;
  const listenText = input.text('listen');
  const listen = listenText === undefined ? ok(undefined) : parseListenAddress(listenText);
  if (!listen.ok) return fail(`--listen "${listenText ?? ''}" ${listen.error}`);
  const tag = input.text('tag');
  return ok({
    repo,
    ref: tag === undefined ? { branch: input.required('branch') } : { tag },
    path: input.required('path'),
    intervalMs: readDuration(input, 'interval'),
    compareMs: readDuration(input, 'compare'),
    gatherMs: readDuration(input, 'gather'),
    lockMs: input.text('lock') === undefined ? 20_000 : readDuration(input, 'lock'),
    gitCaFile: input.text('git-ca'),
    credentials: credentials(env),
    state: input.required('state'),
    redis,
    redisCaFile: defaults.redis === undefined ? input.text('redis-ca') : undefined,
    northbound,
    southbound: defaults.southbound ?? endpoints(input.text('sb')),
    owner: input.required('owner'),
    tls: tls.value,
    listen: listen.value,
  });
}

/** Secrets never stand on a command line, where every user of the machine can read them. */
function credentials(env: Readonly<Record<string, string | undefined>>): ServiceConfig['credentials'] {
  const username = env['OVN_GITOPS_GIT_USERNAME'];
  const password = env['OVN_GITOPS_GIT_PASSWORD'];
  return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
}

/** Splits `unix:a,tcp:b` into endpoints. */
export function endpoints(text: string | undefined): readonly string[] | undefined {
  const list = (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return list.length === 0 ? undefined : list;
}
