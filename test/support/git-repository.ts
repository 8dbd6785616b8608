import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** A repository made with the system's git, for tests. */
export interface GitRepository {
  readonly directory: string;
  /** Runs git in the repository and returns what it prints, trimmed. */
  git(...args: readonly string[]): Promise<string>;
  /** Writes files; undefined removes one. Paths are relative to the work tree. */
  write(files: Readonly<Record<string, string | Uint8Array | undefined>>): Promise<void>;
  /** Writes files, commits everything, and returns the name of the commit. */
  commit(subject: string, files?: Readonly<Record<string, string | Uint8Array | undefined>>): Promise<string>;
}

/** Makes a new repository with branch main, below `parent`. */
export async function makeRepository(parent: string): Promise<GitRepository> {
  const directory = await mkdtemp(join(parent, 'repository-'));
  await runGit(directory, ['init', '--quiet', '--initial-branch=main']);
  return repositoryAt(directory);
}

/** A repository that is there already. */
export function repositoryAt(directory: string): GitRepository {
  const git = (...args: readonly string[]): Promise<string> => runGit(directory, args);
  const write: GitRepository['write'] = async (files) => {
    for (const [path, content] of Object.entries(files)) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      await (content === undefined ? rm(file) : writeFile(file, content));
    }
  };
  return {
    directory,
    git,
    write,
    commit: async (subject, files = {}) => {
      await write(files);
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', subject);
      return git('rev-parse', 'HEAD');
    },
  };
}

/** A new folder for a test. Remove it with removeFolder. */
export function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'ovn-gitops-git-'));
}

/** Removes a folder and all that is in it. */
export function removeFolder(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

let tick = 0;

async function runGit(cwd: string, args: readonly string[]): Promise<string> {
  // Every commit is a minute later than the one before, so that histories have one order.
  tick += 60;
  const date = `${1_700_000_000 + tick} +0100`;
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada Operator',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Forge',
    GIT_COMMITTER_EMAIL: 'forge@example.org',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  };
  const { stdout } = await execFileAsync('git', [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

const execFileAsync = promisify(execFile);
