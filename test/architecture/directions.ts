/** What a folder of src may import. */
export interface Direction {
  /** Other folders, for values and types. */
  readonly folders: readonly string[];
  /** Other folders, for types only: an edge folder satisfies the interfaces that the use cases state. */
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
  /** Pure: no node built-ins, no `async`. */
  readonly pure?: boolean;
}

const EDGE: Direction = { folders: ['lib', 'model'], types: ['reconcile'] };
const PURE: Direction = { folders: ['lib', 'model'], pure: true };
const FACE: Direction = {
  folders: ['lib', 'model', 'ovsdb', 'spec', 'compile', 'plan', 'rollout', 'reconcile'],
};

/** lib <- ovsdb, model <- spec, compile, plan, rollout <- reconcile <- cli, api <- main; edge folders stand beside reconcile. */
export const DIRECTIONS: Readonly<Record<string, Direction>> = {
  lib: { folders: [], packages: ['@noble/hashes'], pure: true },
  'ovsdb/protocol': { folders: ['lib'], pure: true },
  'ovsdb/replica': { folders: ['lib', 'ovsdb/protocol'], pure: true },
  ovsdb: { folders: ['lib', 'ovsdb/protocol', 'ovsdb/replica'] },
  model: { folders: ['lib'], pure: true },
  spec: { ...PURE, packages: ['ajv', 'js-yaml'] },
  compile: PURE,
  plan: { ...PURE, folders: ['lib', 'model', 'ovsdb'] },
  rollout: PURE,
  reconcile: { folders: ['lib', 'model', 'ovsdb', 'spec', 'compile', 'plan', 'rollout'] },
  git: { ...EDGE, packages: ['isomorphic-git'] },
  nb: { ...EDGE, folders: ['lib', 'model', 'ovsdb'] },
  queue: { ...EDGE, packages: ['bullmq', 'ioredis'] },
  embedded: EDGE,
  kube: EDGE,
  forge: EDGE,
  node: { ...EDGE, folders: ['lib', 'model', 'ovsdb'] },
  cli: FACE,
  api: FACE,
  page: FACE,
};

/** The wiring: these may import every folder and every package. */
export const WIRING: readonly string[] = ['main', 'index.ts'];
