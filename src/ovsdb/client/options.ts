import type { Limits } from '../protocol/framing.ts';
import type { WantedTables } from '../replica/selection.ts';
import type { TlsOptions } from './tls.ts';

/** Which database is followed, where, and how. */
export interface DatabaseOptions {
  /**
   * `unix:PATH`, `tcp:HOST:PORT`, `ssl:HOST:PORT`: the members of one cluster, or one server. They are tried in an order
   * that chance decides, each in turn; a server that was left is tried last. `punix:PATH`, `ptcp:PORT[:IP]` and
   * `pssl:PORT[:IP]` listen for a server that connects to its client: one connection is followed, others meanwhile are
   * closed; for port 0 the port is in the log's `listening` event.
   */
  readonly remotes: readonly string[];
  readonly database: string;
  /** What the replica holds; everything when absent, nothing when empty. */
  readonly tables?: WantedTables;
  /** Needed for `ssl:` and `pssl:` remotes. */
  readonly tls?: TlsOptions;
  /** Follow only the leader of a cluster: its answers are never old. Default false. */
  readonly leaderOnly?: boolean;
  /** A silence of this length is broken by an echo, and twice as long a silence ends the connection. Default 5000. */
  readonly probeIntervalMs?: number;
  /** What a server may send; beyond it the connection is given up, and the log tells why. */
  readonly limits?: Partial<Limits>;
  /** Numbers in [0, 1) for the first remote and for jitter. Default Math.random. */
  readonly random?: () => number;
  /** Told of connections that come and go: `remote`, and with it `port`, or `reason` and `waitMs`. */
  readonly log?: (
    event: 'listening' | 'live' | 'disconnected',
    fields: Readonly<Record<string, unknown>>,
  ) => void;
}
