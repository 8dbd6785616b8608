import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSource, type Source } from '../../src/git/source.ts';
import { openNorthbound, type NorthboundDatabase } from '../../src/nb/northbound.ts';
import { MANAGED_TABLES } from '../../src/plan/managed-tables.ts';
import { type GitRepository, makeRepository } from '../../test/support/git-repository.ts';
import { type OvsdbServer, startOvsdbServer } from '../../test/support/ovsdb-server.ts';
import { generateRepository } from '../generate.ts';
import { OWNER } from '../revision.ts';

const SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';

/** What another process needs to take part. */
export interface SceneAddress {
  readonly repository: string;
  readonly store: string;
  readonly endpoint: string;
}

/** A repository made with git, and an ovsdb-server with an empty Northbound. */
export interface Scene extends SceneAddress {
  readonly git: GitRepository;
  readonly server: OvsdbServer;
  readonly files: ReadonlyMap<string, string>;
  remove(): Promise<void>;
}

/** Makes a scene of so many ports in a temporary directory. */
export async function makeScene(ports: number): Promise<Scene> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-bench-'));
  const git = await makeRepository(directory);
  const files = new Map(generateRepository(ports).map((file) => [file.path, file.text]));
  await git.commit('first', Object.fromEntries(files));
  await git.git('gc', '--quiet');
  const server = await startOvsdbServer({ schemaFile: SCHEMA, dir: directory });
  return {
    repository: git.directory,
    store: path.join(directory, 'store'),
    endpoint: server.endpoint,
    git,
    server,
    files,
    remove: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Follows the scene's repository, as the service does. */
export async function openSceneSource({ repository, store }: SceneAddress): Promise<Source> {
  const source = await openSource({ url: repository, ref: { branch: 'main' }, path: '', store });
  if (!source.ok) throw new Error(source.error.message);
  return source.value;
}

/** Opens the scene's Northbound; a large one on a busy machine takes its time. */
export function openSceneNorthbound({ endpoint }: SceneAddress): Promise<NorthboundDatabase> {
  return openNorthbound(
    {
      remotes: [endpoint],
      southbound: undefined,
      tables: MANAGED_TABLES,
      owner: OWNER,
      tls: undefined,
      clock: Date.now,
      log: () => {},
    },
    AbortSignal.timeout(600_000),
  );
}
