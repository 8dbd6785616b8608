import { spawnSync } from 'node:child_process';

/** Namespaces as computers with two networks: one among themselves, and one to this program. */
export interface Namespaces {
  readonly computers: readonly Computer[];
  /** Unplugs a computer from the others; from here it is still reached. Packets are lost, and nobody is told. */
  isolate(computer: number): void;
  /** Unplugs a computer from here; the others still reach it. */
  hide(computer: number): void;
  /** Plugs everything in again. */
  heal(): void;
  remove(): void;
}

export interface Computer {
  /** For `ip netns exec`. */
  readonly name: string;
  /** Where the others reach it. */
  readonly address: string;
  /** Where this program reaches it. */
  readonly publicAddress: string;
}

/** Why namespaces can't be made here; undefined when they can. */
export function whyNoNamespaces(): string | undefined {
  const name = `probe-${process.pid}`;
  const { status, stderr, error } = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' });
  if (error !== undefined) return error.message;
  if (status !== 0) return stderr.trim();
  spawnSync('ip', ['netns', 'del', name]);
  return undefined;
}

/** Makes namespaces with names of this process' own, so that parallel runs don't meet; addresses are in 100.64.0.0/10. */
export function makeNamespaces(count: number): Namespaces {
  const id = process.pid.toString(36);
  const hub = `hub-${id}`;
  const [inside, outside] = [subnet(2 * process.pid), subnet(2 * process.pid + 1)];
  const computers = Array.from({ length: count }, (_, at) => ({
    name: `m${at}-${id}`,
    address: `${inside}.${at + 2}`,
    publicAddress: `${outside}.${at + 2}`,
  }));
  const remove = (): void => {
    for (const name of [hub, ...computers.map((each) => each.name)]) spawnSync('ip', ['netns', 'del', name]);
  };
  try {
    ip('netns', 'add', hub);
    for (const bridge of ['in', 'out']) {
      ip('-n', hub, 'link', 'add', bridge, 'type', 'bridge');
      ip('-n', hub, 'link', 'set', bridge, 'up');
    }
    for (const [at, { name, address, publicAddress }] of computers.entries()) {
      ip('netns', 'add', name);
      ip('-n', name, 'link', 'set', 'lo', 'up');
      plug(hub, 'in', `in${at}`, ['-n', name], address);
      plug(hub, 'out', `out${at}`, ['-n', name], publicAddress);
    }
    plug(hub, 'out', `o${id}`, [], `${outside}.1`);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    computers,
    isolate: (computer) => ip('-n', hub, 'link', 'set', `in${computer}`, 'down'),
    hide: (computer) => ip('-n', hub, 'link', 'set', `out${computer}`, 'down'),
    heal: () => {
      for (let each = 0; each < count; each += 1) {
        for (const link of [`in${each}`, `out${each}`]) ip('-n', hub, 'link', 'set', link, 'up');
      }
    },
    remove,
  };
}

/** Joins a namespace to a bridge by a pair of links of one name; they go with the namespace of the bridge. */
function plug(hub: string, bridge: string, link: string, where: readonly string[], address: string): void {
  const peer = where.length === 0 ? [] : ['netns', String(where[1])];
  ip('-n', hub, 'link', 'add', link, 'type', 'veth', 'peer', `p${link}`);
  ip('-n', hub, 'link', 'set', `p${link}`, ...(peer.length === 0 ? ['netns', String(process.pid)] : peer));
  ip(...where, 'addr', 'add', `${address}/24`, 'dev', `p${link}`);
  ip(...where, 'link', 'set', `p${link}`, 'up');
  ip('-n', hub, 'link', 'set', link, 'master', bridge, 'up');
}

/** One of the 16,384 networks of 256 addresses in 100.64.0.0/10. */
function subnet(number: number): string {
  return `100.${64 + ((number >> 8) & 63)}.${number & 255}`;
}

function ip(...arguments_: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', arguments_, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${arguments_.join(' ')}: ${stderr}`);
}
